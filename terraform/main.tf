# One environment of the service in one project. What it consists of is in the files by concern; the functions are the
# rows of one map in functions.tf.

provider "google" {
  project = var.project_id
  region  = var.region

  default_labels = {
    service     = "data-ingestion"
    environment = var.environment
  }
}

data "google_project" "this" {
  project_id = var.project_id
}

locals {
  firestore_location  = coalesce(var.firestore_location, var.region)
  scheduler_locations = coalescelist(var.scheduler_locations, [var.region])
  is_protected        = coalesce(var.deletion_protection, var.environment == "prod")
  has_domain          = var.domain != null

  # Google's own identities in this project, which exist once their API is used.
  pubsub_agent    = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
  scheduler_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-cloudscheduler.iam.gserviceaccount.com"
}
