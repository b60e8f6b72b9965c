# One function: its identity, its source, itself, and who may call it. What its identity may do is not here.

resource "google_service_account" "this" {
  account_id   = "fn-${var.name}"
  display_name = "Function ${var.name}"
}

# Named by its content: the same bytes are the same object, and a change of code is a change of the function.
resource "google_storage_bucket_object" "source" {
  bucket = var.source_bucket
  name   = "${var.name}/${filesha256(var.artifact)}.zip"
  source = var.artifact

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_cloudfunctions2_function" "this" {
  name     = var.name
  location = var.region

  build_config {
    runtime           = var.runtime
    entry_point       = var.entry_point
    service_account   = var.build_service_account
    docker_repository = var.docker_repository

    # The artifact is built: npm ci only, no script.
    environment_variables = { GOOGLE_NODE_RUN_SCRIPTS = "" }

    # Security patches of the runtime without a deployment.
    automatic_update_policy {}

    source {
      storage_source {
        bucket = var.source_bucket
        object = google_storage_bucket_object.source.name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.this.email
    ingress_settings                 = var.ingress
    available_memory                 = var.memory
    available_cpu                    = tostring(var.cpu)
    max_instance_request_concurrency = var.concurrency
    timeout_seconds                  = var.timeout_seconds
    min_instance_count               = var.min_instances
    max_instance_count               = var.max_instances
    environment_variables            = var.environment
    all_traffic_on_latest_revision   = true
  }
}

resource "google_cloud_run_v2_service_iam_member" "invoker" {
  name     = google_cloudfunctions2_function.this.name
  location = google_cloudfunctions2_function.this.location
  role     = "roles/run.invoker"
  member   = var.invoker
}
