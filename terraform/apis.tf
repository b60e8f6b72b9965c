locals {
  apis = concat(
    [
      "artifactregistry.googleapis.com",
      "cloudbuild.googleapis.com",
      "cloudfunctions.googleapis.com",
      "cloudresourcemanager.googleapis.com",
      "cloudscheduler.googleapis.com",
      "firestore.googleapis.com",
      "iam.googleapis.com",
      "iamcredentials.googleapis.com",
      "logging.googleapis.com",
      "monitoring.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
      "storage.googleapis.com",
    ],
    local.has_domain ? ["compute.googleapis.com"] : [],
  )
}

resource "google_project_service" "apis" {
  for_each = toset(local.apis)

  service            = each.key
  disable_on_destroy = false # something else in the project may use it; an unused API costs nothing
}
