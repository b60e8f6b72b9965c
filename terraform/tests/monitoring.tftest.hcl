# Somebody is told.

mock_provider "google" {
  mock_resource "google_monitoring_notification_channel" {
    defaults = { name = "projects/test-project/notificationChannels/1" }
  }
}

variables {
  project_id            = "test-project"
  artifacts_dir         = "./tests/fixtures"
  grant_wait_seconds    = 0
  alert_emails          = ["on-call@example.com"]
  notification_channels = ["projects/test-project/notificationChannels/2"]
}

run "alerts" {
  assert {
    condition = toset(concat(keys(google_monitoring_alert_policy.threshold), keys(google_monitoring_alert_policy.promql))) == toset([
      "dead-letters", "failed-runs", "failing-jobs", "miscounted-runs", "overdue-deletions", "set-aside-deletions", "scheduler-jobs", "refused-transfers",
    ])
    error_message = "There is an alert for each thing that goes wrong in silence, and that no objective tells (objectives.tftest.hcl)."
  }

  assert {
    condition = alltrue([
      for policy in concat(values(google_monitoring_alert_policy.threshold), values(google_monitoring_alert_policy.promql)) :
      toset(policy.notification_channels) == toset(["projects/test-project/notificationChannels/1", "projects/test-project/notificationChannels/2"]) && length(one(policy.documentation).content) > 50
    ])
    error_message = "Every alert goes to all channels, and says what to do."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.threshold["dead-letters"].conditions[0].condition_threshold[0].filter, "subscription_id=\"dead-letters\"")
    error_message = "The alert of dead letters looks at their subscription."
  }

  assert {
    condition     = google_monitoring_alert_policy.promql["failed-runs"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_transfer_runs{monitored_resource=\"cloud_run_revision\",status=\"failed\"}[5m])) > 0"
    error_message = "The alert of failed runs counts runs that end as failed."
  }

  assert {
    condition     = google_monitoring_alert_policy.promql["failing-jobs"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_failing_jobs{monitored_resource=\"cloud_run_revision\"}[5m])) > 0" && google_monitoring_alert_policy.promql["failing-jobs"].conditions[0].condition_prometheus_query_language[0].duration == "0s"
    error_message = "One line of the log about a recurring transfer that keeps failing raises an alert."
  }

  assert {
    condition     = google_monitoring_alert_policy.promql["miscounted-runs"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_miscounted_runs{monitored_resource=\"cloud_run_revision\"}[5m])) > 0" && google_monitoring_alert_policy.promql["miscounted-runs"].conditions[0].condition_prometheus_query_language[0].duration == "0s"
    error_message = "One run whose rows do not add up raises an alert."
  }

  assert {
    condition     = alltrue([for policy in google_monitoring_alert_policy.threshold : !strcontains(policy.conditions[0].condition_threshold[0].filter, "logging.googleapis.com/user")])
    error_message = "No threshold is on a log-based metric: it would be refused for ten minutes after the metric was made."
  }

  assert {
    condition     = alltrue([for policy in google_monitoring_alert_policy.promql : policy.conditions[0].condition_prometheus_query_language[0].disable_metric_validation])
    error_message = "A query is taken before its metric exists."
  }

  assert {
    condition = google_monitoring_alert_policy.promql["overdue-deletions"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_overdue_deletions{monitored_resource=\"cloud_run_revision\"}[10m])) > 0 unless on() max(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=\"deletion-consumer\"}) > 900" && (
      google_monitoring_alert_policy.promql["overdue-deletions"].conditions[0].condition_prometheus_query_language[0].duration == "1800s"
    )
    error_message = "Deletions that stay pending raise an alert after half an hour, unless the objective of old messages tells it."
  }

  assert {
    condition = strcontains(google_monitoring_alert_policy.promql["scheduler-jobs"].conditions[0].condition_prometheus_query_language[0].query, "> 0.8") && (
      length(split("max by (location)", google_monitoring_alert_policy.promql["scheduler-jobs"].conditions[0].condition_prometheus_query_language[0].query)) == 2
      && length(split("location=~\"europe-west1\"}", google_monitoring_alert_policy.promql["scheduler-jobs"].conditions[0].condition_prometheus_query_language[0].query)) == 3
    )
    error_message = "The quota of jobs raises an alert at 80 %, in the one region of jobs."
  }

  assert {
    condition     = google_monitoring_alert_policy.promql["refused-transfers"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_refused_transfers{monitored_resource=\"cloud_run_revision\"}[5m])) > 0"
    error_message = "One registration that is refused because no region has room raises an alert."
  }
}

run "alerts_of_many_regions" {
  variables {
    scheduler_locations = ["europe-west1", "europe-west3", "europe-north1"]
  }

  assert {
    condition = (
      length(split("by (location)", google_monitoring_alert_policy.promql["scheduler-jobs"].conditions[0].condition_prometheus_query_language[0].query)) == 3
      && length(split("location=~\"europe-west1|europe-west3|europe-north1\"}", google_monitoring_alert_policy.promql["scheduler-jobs"].conditions[0].condition_prometheus_query_language[0].query)) == 3
    )
    error_message = "The quota of jobs raises an alert at 80 % in each region of jobs."
  }
}

run "logs" {
  assert {
    condition = alltrue([
      for url in ["https://h/customers/t?email=ann@x.com", "https://h/console/api/customers/t?customerId=1&email=ann%40x.com"] :
      can(regex(regex("^httpRequest[.]requestUrl=~\"(.*)\"$", google_logging_project_exclusion.emails.filter)[0], url))
    ])
    error_message = "A request whose address has an e-mail leaves no entry."
  }

  assert {
    condition = alltrue([
      for url in ["https://h/customers/t", "https://h/orders/t/O-1?validateOnly=true"] :
      !can(regex(regex("^httpRequest[.]requestUrl=~\"(.*)\"$", google_logging_project_exclusion.emails.filter)[0], url))
    ])
    error_message = "Every other request leaves its entry."
  }
}

run "dashboard" {
  assert {
    condition     = length(jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles) == length(local.charts)
    error_message = "Every chart is on the dashboard."
  }

  assert {
    condition     = alltrue([for tile in jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles : tile.xPos + tile.width <= 48])
    error_message = "No chart is outside the page."
  }
}
