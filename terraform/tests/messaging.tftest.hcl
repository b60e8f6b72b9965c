# Nothing is lost between a topic and its consumer.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "consumers" {
  assert {
    condition     = toset(keys(google_pubsub_subscription.push)) == toset(["deletion-consumer", "upload-consumer", "transfer-runner"])
    error_message = "Each consumer has one push subscription."
  }

  assert {
    condition = alltrue([
      for name, subscription in google_pubsub_subscription.push :
      subscription.ack_deadline_seconds > module.function[name].timeout_seconds && subscription.ack_deadline_seconds <= 600
    ])
    error_message = "An acknowledgement deadline is above the function's time-out, and no more than Pub/Sub takes."
  }

  assert {
    condition     = tonumber(module.function["transfer-runner"].timeout_seconds) >= 240 + 60
    error_message = "A unit of a transfer (240 s), and the slice that it ends with, fit into the function's time-out."
  }

  assert {
    condition = alltrue([
      for name, subscription in google_pubsub_subscription.push :
      one(subscription.push_config).push_endpoint == module.function[name].uri
      && one(one(subscription.push_config).oidc_token).audience == module.function[name].uri
      && one(one(subscription.push_config).oidc_token).service_account_email == google_service_account.push.email
    ])
    error_message = "A push goes to its function, with a token for that function."
  }

  assert {
    condition = alltrue([
      for subscription in google_pubsub_subscription.push :
      one(subscription.retry_policy).minimum_backoff == "10s" && one(subscription.retry_policy).maximum_backoff == "600s"
    ])
    error_message = "Deliveries back off."
  }
}

run "dead_letters" {
  assert {
    condition = alltrue([
      for subscription in google_pubsub_subscription.push :
      one(subscription.dead_letter_policy).dead_letter_topic == google_pubsub_topic.topics["dead-letters"].id
      && one(subscription.dead_letter_policy).max_delivery_attempts >= 30
      && one(subscription.dead_letter_policy).max_delivery_attempts <= 100
    ])
    error_message = "Every push subscription has dead letters, after hours and not after minutes."
  }

  assert {
    condition     = google_pubsub_subscription.dead_letters.topic == google_pubsub_topic.topics["dead-letters"].id && google_pubsub_subscription.dead_letters.name == "dead-letters"
    error_message = "The dead letters have a subscription, which the operator's command line expects by this name."
  }

  assert {
    condition = alltrue([
      for subscription in concat(values(google_pubsub_subscription.push), [google_pubsub_subscription.dead_letters]) :
      subscription.message_retention_duration == "604800s" && one(subscription.expiration_policy).ttl == ""
    ])
    error_message = "Every subscription keeps messages for 7 days, and itself for good."
  }

  assert {
    condition = google_pubsub_topic_iam_member.dead_letters.member == local.pubsub_agent && toset(keys(google_pubsub_subscription_iam_member.dead_letters)) == toset(keys(google_pubsub_subscription.push)) && alltrue([
      for grant in google_pubsub_subscription_iam_member.dead_letters : grant.member == local.pubsub_agent && grant.role == "roles/pubsub.subscriber"
    ])
    error_message = "Pub/Sub may move messages from every push subscription to the dead letters."
  }
}

run "scheduler" {
  assert {
    condition = (
      google_cloud_scheduler_job.deletion_sweep.schedule == "*/5 * * * *"
      && one(google_cloud_scheduler_job.deletion_sweep.pubsub_target).topic_name == google_pubsub_topic.topics["deletions"].id
      && jsondecode(base64decode(one(google_cloud_scheduler_job.deletion_sweep.pubsub_target).data)) == { sweep = true }
    )
    error_message = "A sweep is the message {\"sweep\":true} on the topic of deletions, every five minutes."
  }

  assert {
    condition = (
      google_cloud_scheduler_job.live_runs.schedule == "* * * * *"
      && one(google_cloud_scheduler_job.live_runs.pubsub_target).topic_name == google_pubsub_topic.topics["uploads"].id
      && jsondecode(base64decode(one(google_cloud_scheduler_job.live_runs.pubsub_target).data)) == { start = true }
    )
    error_message = "Runs of uploads are started by the message {\"start\":true} on the topic of uploads, every minute."
  }

  assert {
    condition     = alltrue([for topic in ["deletions", "transfers", "uploads"] : google_pubsub_topic_iam_member.scheduler[topic].member == local.scheduler_agent])
    error_message = "Cloud Scheduler may publish the sweep, the starts of live runs and the triggers of transfers."
  }

  assert {
    condition     = google_cloud_scheduler_job.deletion_sweep.region == "europe-west1" && output.operator_environment.SCHEDULER_LOCATIONS == "europe-west1"
    error_message = "Jobs are in the region of the functions."
  }
}

run "scheduler_in_many_regions" {
  variables {
    region              = "europe-west4"
    scheduler_locations = ["europe-west1", "europe-west3"]
  }

  assert {
    condition = google_cloud_scheduler_job.deletion_sweep.region == "europe-west1" && alltrue([
      for function in local.functions : function.environment.SCHEDULER_LOCATIONS == "europe-west1,europe-west3"
    ]) && output.operator_environment.SCHEDULER_LOCATIONS == "europe-west1,europe-west3"
    error_message = "The sweep is in the first region; the functions and operators look for tenants' jobs in all."
  }
}
