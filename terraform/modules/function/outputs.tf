output "name" {
  description = "Name of the function and of its Cloud Run service."
  value       = google_cloudfunctions2_function.this.name
}

output "uri" {
  description = "The address at which Cloud Run serves it, without a path."
  value       = google_cloudfunctions2_function.this.service_config[0].uri
}

output "service_account_email" {
  description = "Identity that the function runs as."
  value       = google_service_account.this.email
}

output "member" {
  description = "The same identity, as IAM names it."
  value       = google_service_account.this.member
}

output "source_object" {
  description = "The object that is deployed, named by its content."
  value       = google_storage_bucket_object.source.name
}

output "ingress" {
  description = "Where requests may come from."
  value       = google_cloudfunctions2_function.this.service_config[0].ingress_settings
}

output "timeout_seconds" {
  description = "After which a request is cut off."
  value       = google_cloudfunctions2_function.this.service_config[0].timeout_seconds
}

output "invoker" {
  description = "The one member that may call it."
  value       = google_cloud_run_v2_service_iam_member.invoker.member
}
