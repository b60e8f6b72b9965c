# The service's own buckets, and the images that are built from the sources. Tenants' buckets are theirs.

resource "google_storage_bucket" "sources" {
  name                        = "${var.project_id}-function-sources"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # built anew from the code at any time

  # The source of an earlier deployment stays for a while, as a noncurrent version.
  versioning {
    enabled = true
  }

  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      days_since_noncurrent_time = 30
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_artifact_registry_repository" "functions" {
  repository_id = "functions"
  description   = "Images of the functions"
  location      = var.region
  format        = "DOCKER"

  cleanup_policies {
    id     = "keep-recent"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "delete-old"
    action = "DELETE"

    condition {
      older_than = "2592000s" # 30 days
    }
  }

  depends_on = [google_project_service.apis]
}

# The bad rows of transfers: which object, which line, which messages (D-52).
resource "google_storage_bucket" "reports" {
  name                        = "${var.project_id}-transfer-reports"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !local.is_protected

  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      age = var.reports_retention_days
    }
  }

  depends_on = [google_project_service.apis]
}

# They show tenants the bad rows of their runs.
resource "google_storage_bucket_iam_member" "reports_reader" {
  for_each = local.with_transfers

  bucket = google_storage_bucket.reports.name
  role   = "roles/storage.objectViewer"
  member = module.function[each.key].member
}

# It writes reports, one again when the answer was lost, and reads them for a replay.
resource "google_storage_bucket_iam_member" "reports" {
  bucket = google_storage_bucket.reports.name
  role   = "roles/storage.objectUser"
  member = module.function["transfer-runner"].member
}
