output "base_url" {
  description = "The base URL of the API: callers append /customers/…, /products/…, /orders/…, /ingestion/… and /usage/…; people read /docs and open /console"
  value       = local.has_domain ? "https://${var.domain}" : "https://${var.region}-${var.project_id}.cloudfunctions.net"

  depends_on = [module.function]
}

output "project_id" {
  description = "The project that holds this environment."
  value       = var.project_id
}

# It is what the functions are once all of them are: an apply that fails leaves the name before.
output "release" {
  description = "The release that is deployed; null for a build that is none."
  value       = var.release

  depends_on = [module.function]
}

output "transfer_service_account" {
  description = "What tenants grant Storage Object Viewer (roles/storage.objectViewer) on their bucket and, for notifications of their runs, Pub/Sub Publisher (roles/pubsub.publisher) on their topic."
  value       = module.function["transfer-runner"].service_account_email
}

output "load_balancer_ip" {
  description = "What the domain's A record must point to; null without a domain."
  value       = one(google_compute_global_address.api[*].address)
}

output "operator_environment" {
  description = "Environment variables with which the operator's command line finds this environment."
  value = {
    FIRESTORE_DATABASE  = local.service_environment.FIRESTORE_DATABASE
    SCHEDULER_LOCATIONS = local.service_environment.SCHEDULER_LOCATIONS
    REPORTS_BUCKET      = local.service_environment.REPORTS_BUCKET
  }
}

output "sources" {
  description = "What is deployed: the object of each function, named by its content."
  value       = { for name, function in module.function : name => function.source_object }
}

output "cpus_at_most" {
  description = "CPUs that all instances take when every function is at its maximum: the region's CPU allocation for Cloud Run should be no less."
  value       = sum([for row in local.functions : row.max_instances * row.cpu])
}
