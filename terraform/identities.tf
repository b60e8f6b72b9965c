# Who may do what. Each function has an identity of its own (modules/function); every grant to one is in this file, but
# for the bucket of reports (storage.tf).

# --- Build ----------------------------------------------------------------------------------------------------------

resource "google_service_account" "build" {
  account_id   = "function-build"
  display_name = "Builds the functions"

  depends_on = [google_project_service.apis]
}

resource "google_project_iam_member" "build_logs" {
  project = var.project_id
  role    = "roles/logging.logWriter"
  member  = google_service_account.build.member
}

resource "google_storage_bucket_iam_member" "build_sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

# Cloud Functions copies a source into a bucket of its own before the build reads it.
resource "google_project_iam_member" "build_sources" {
  project = var.project_id
  role    = "roles/storage.objectViewer"
  member  = google_service_account.build.member

  condition {
    title      = "Sources of functions only"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-\")"
  }
}

resource "google_artifact_registry_repository_iam_member" "build_images" {
  location   = google_artifact_registry_repository.functions.location
  repository = google_artifact_registry_repository.functions.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

# A new grant takes some minutes to reach every server, and a build that starts before fails for good. A data source that
# would wait for it does not exist.
resource "terraform_data" "build_grants_in_effect" {
  triggers_replace = [
    google_service_account.build.unique_id,
    google_project_iam_member.build_logs.id,
    google_project_iam_member.build_sources.id,
    google_storage_bucket_iam_member.build_sources.id,
    google_artifact_registry_repository_iam_member.build_images.id,
  ]

  provisioner "local-exec" {
    command = "sleep ${var.grant_wait_seconds}"
  }
}

# --- Calling the consumers --------------------------------------------------------------------------------------------

# Pub/Sub calls the consumers as this identity, and nobody else may call them.
resource "google_service_account" "push" {
  account_id   = "pubsub-push"
  display_name = "Pub/Sub pushing to the consumers"

  depends_on = [google_project_service.apis]
}

resource "google_service_account_iam_member" "push_tokens" {
  service_account_id = google_service_account.push.name
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = local.pubsub_agent

  depends_on = [google_pubsub_topic.topics] # the first topic makes the agent
}

# --- Functions --------------------------------------------------------------------------------------------------------

# This database and no other; the reference needs none.
resource "google_project_iam_member" "firestore" {
  for_each = { for name, function in module.function : name => function if name != "docs" }

  project = var.project_id
  role    = "roles/datastore.user"
  member  = each.value.member

  condition {
    title      = "The service's own database only"
    expression = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.this.name}\""
  }
}

locals {
  # The functions that serve the routes of transfers.
  with_transfers = toset(["ingestion", "console"])

  publications = merge([
    for name, row in local.functions : { for topic in row.publishes : "${name}/${topic}" => { function = name, topic = topic } }
  ]...)
}

resource "google_pubsub_topic_iam_member" "publishers" {
  for_each = local.publications

  topic  = google_pubsub_topic.topics[each.value.topic].name
  role   = "roles/pubsub.publisher"
  member = module.function[each.value.function].member
}

# What register and unregister call. Cloud Scheduler has no finer grant than the project's jobs, and whoever may create
# jobs can make them publish to any topic of the project: one reason why nothing else belongs in it.
resource "google_project_iam_custom_role" "transfer_jobs" {
  role_id     = "transferJobs"
  title       = "Tenants' transfer jobs"
  description = "Creates, replaces and deletes Cloud Scheduler jobs."
  permissions = ["cloudscheduler.jobs.create", "cloudscheduler.jobs.delete", "cloudscheduler.jobs.get", "cloudscheduler.jobs.update"]

  depends_on = [google_project_service.apis]
}

resource "google_project_iam_member" "transfer_jobs" {
  for_each = local.with_transfers

  project = var.project_id
  role    = google_project_iam_custom_role.transfer_jobs.id
  member  = module.function[each.key].member
}

# A registration looks at the bucket as `transfer-runner`, to which tenants grant it; who serves it asks for a token that only
# reads objects. They may give themselves no other: neither sign nor make identity tokens, as the predefined role could.
resource "google_project_iam_custom_role" "transfer_runner_tokens" {
  role_id     = "transferRunnerTokens"
  title       = "Access tokens of transfer-runner"
  description = "Makes access tokens of the service account that it is granted on."
  permissions = ["iam.serviceAccounts.getAccessToken"]

  depends_on = [google_project_service.apis]
}

resource "google_service_account_iam_member" "transfer_runner_tokens" {
  for_each = local.with_transfers

  service_account_id = "projects/${var.project_id}/serviceAccounts/${module.function["transfer-runner"].service_account_email}"
  role               = google_project_iam_custom_role.transfer_runner_tokens.id
  member             = module.function[each.key].member
}
