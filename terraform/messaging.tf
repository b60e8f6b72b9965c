# Topics and subscriptions; test/local/pubsub-topology.ts makes the same ones on the emulator.

locals {
  topics    = toset(["deletions", "transfers", "uploads", "dead-letters"])
  retention = "604800s" # 7 days
  never     = ""        # as a time to live; the default deletes a subscription that is idle for 31 days
  backoff   = { minimum = "10s", maximum = "600s" }
}

resource "google_pubsub_topic" "topics" {
  for_each = local.topics

  name = each.key

  depends_on = [google_project_service.apis]
}

# Deliveries wait 10, 20, 40 … 600 s. 30 of them take about 4 hours: an outage passes meanwhile, and the sweep would publish
# the deletion again in any case. 100 take over 15 hours: a file also waits for its turn, and a busy instance's refusal is a
# delivery, too. What a consumer itself sees can never succeed does not wait; it publishes that to the dead letters at once.
resource "google_pubsub_subscription" "push" {
  for_each = local.push_functions

  name                       = each.key
  topic                      = google_pubsub_topic.topics[each.value.trigger.topic].id
  ack_deadline_seconds       = each.value.timeout_seconds + 60
  message_retention_duration = local.retention

  expiration_policy {
    ttl = local.never
  }

  retry_policy {
    minimum_backoff = local.backoff.minimum
    maximum_backoff = local.backoff.maximum
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.topics["dead-letters"].id
    max_delivery_attempts = each.value.trigger.max_delivery_attempts
  }

  push_config {
    push_endpoint = module.function[each.key].uri

    oidc_token {
      service_account_email = google_service_account.push.email
      audience              = module.function[each.key].uri
    }
  }

  # Without these the first deliveries would be refused, and dead letters lost.
  depends_on = [google_service_account_iam_member.push_tokens, google_pubsub_topic_iam_member.dead_letters]
}

# For the operator's command line, which takes messages for a minute at a time.
resource "google_pubsub_subscription" "dead_letters" {
  name                       = google_pubsub_topic.topics["dead-letters"].name
  topic                      = google_pubsub_topic.topics["dead-letters"].id
  ack_deadline_seconds       = 60
  message_retention_duration = local.retention

  expiration_policy {
    ttl = local.never
  }
}

# Pub/Sub moves a message to the dead letters: publishes it there, and acknowledges it here.
resource "google_pubsub_topic_iam_member" "dead_letters" {
  topic  = google_pubsub_topic.topics["dead-letters"].name
  role   = "roles/pubsub.publisher"
  member = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  for_each = google_pubsub_subscription.push

  subscription = each.value.name
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}

# --- Cloud Scheduler --------------------------------------------------------------------------------------------------

# Deletions that were accepted but whose message was lost are published again. Tenants' jobs are made at run time by
# `ingestion`.
resource "google_cloud_scheduler_job" "deletion_sweep" {
  name        = "deletion-sweep"
  description = "Publishes overdue deletions again"
  region      = local.scheduler_locations[0]
  schedule    = "*/5 * * * *"
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = google_pubsub_topic.topics["deletions"].id
    data       = base64encode(jsonencode({ sweep = true }))
  }

  depends_on = [google_pubsub_topic_iam_member.scheduler]
}

# Runs of the full hour wait for their minute, and the uploads of live transfers for a run of their tenant.
resource "google_cloud_scheduler_job" "live_runs" {
  name        = "live-runs"
  description = "Begins the runs that are due, and starts those of uploads that wait"
  region      = local.scheduler_locations[0]
  schedule    = "* * * * *"
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = google_pubsub_topic.topics["uploads"].id
    data       = base64encode(jsonencode({ start = true }))
  }

  depends_on = [google_pubsub_topic_iam_member.scheduler]
}

# Cloud Scheduler publishes as its own agent, for the service's jobs and for tenants'. Who else may publish to `uploads` the
# operator says: `buckets allow-notifications` grants it to Cloud Storage's agent of a tenant's project, beside these grants.
resource "google_pubsub_topic_iam_member" "scheduler" {
  for_each = toset(["deletions", "transfers", "uploads"])

  topic  = google_pubsub_topic.topics[each.key].name
  role   = "roles/pubsub.publisher"
  member = local.scheduler_agent

  depends_on = [google_project_service.apis]
}
