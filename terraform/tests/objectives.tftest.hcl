# What is promised, and who is told when a promise is being broken.

mock_provider "google" {
  mock_resource "google_monitoring_notification_channel" {
    defaults = { name = "projects/test-project/notificationChannels/1" }
  }
}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
  alert_emails       = ["on-call@example.com"]
}

run "objectives" {
  assert {
    condition = toset(keys(google_monitoring_slo.objectives)) == toset(flatten([
      [for group in ["customers", "products", "orders", "transfers", "pages"] : ["${group}-availability", "${group}-latency"]],
      ["deletion-consumer-wait", "transfer-runner-wait", "upload-consumer-wait"],
    ]))
    error_message = "There is an objective for the answers and the latency of each group of routes, for deletions and for transfers (R-396)."
  }

  assert {
    condition     = sort(flatten(values(local.route_groups)[*].functions)) == sort(keys(local.http_functions))
    error_message = "Each HTTP function is in one group (R-396)."
  }

  assert {
    condition     = keys(local.waits) == keys(local.push_functions)
    error_message = "Each push function has an objective for what waits."
  }

  assert {
    condition = google_monitoring_slo.objectives["pages-availability"].request_based_sli[0].good_total_ratio[0].bad_service_filter == join(" AND ", [
      "resource.type=\"cloud_run_revision\"",
      "resource.labels.service_name=monitoring.regex.full_match(\"usage|console|docs\")",
      "metric.type=\"run.googleapis.com/request_count\"",
      "metric.labels.response_code_class=\"5xx\"",
    ])
    error_message = "A request that is answered 5xx is a bad one."
  }

  assert {
    condition     = alltrue([for group in keys(local.route_groups) : google_monitoring_slo.objectives["${group}-availability"].goal == 0.999])
    error_message = "Of a thousand requests, one may fail."
  }

  assert {
    condition = (
      google_monitoring_slo.objectives["orders-latency"].request_based_sli[0].distribution_cut[0].range[0].max == 5000
      && strcontains(google_monitoring_slo.objectives["orders-latency"].request_based_sli[0].distribution_cut[0].distribution_filter, "response_code_class=\"2xx\"")
    )
    error_message = "What is fast enough is asked of requests that were served, not of those that were refused at once."
  }

  assert {
    condition = (
      strcontains(google_monitoring_slo.objectives["deletion-consumer-wait"].windows_based_sli[0].metric_mean_in_range[0].time_series, "subscription_id=\"deletion-consumer\"")
      && google_monitoring_slo.objectives["deletion-consumer-wait"].windows_based_sli[0].metric_mean_in_range[0].range[0].max == 900
      && google_monitoring_slo.objectives["transfer-runner-wait"].windows_based_sli[0].metric_mean_in_range[0].range[0].max == 3600
    )
    error_message = "A deletion waits for at most a quarter of an hour, a step of a transfer for an hour."
  }

  assert {
    condition = alltrue([
      for slo in values(google_monitoring_slo.objectives) :
      length(slo.request_based_sli) + length(slo.windows_based_sli) == 1 && slo.rolling_period_days == 30 && slo.service == "data-ingestion"
    ])
    error_message = "Each objective counts requests or windows, of 30 days."
  }

  assert {
    condition     = !strcontains(jsonencode(values(google_monitoring_slo.objectives)), "logging.googleapis.com/user")
    error_message = "No objective is on a log-based metric: it might be refused for some minutes after the metric was made."
  }
}

run "burn_rates" {
  assert {
    condition     = toset(keys(google_monitoring_alert_policy.burn)) == toset(flatten([for name in keys(google_monitoring_slo.objectives) : ["${name}-fast", "${name}-slow"]]))
    error_message = "Each objective has an alert for a budget that burns fast, and one for a budget that burns slowly (R-396)."
  }

  assert {
    condition = alltrue([
      for name, policy in google_monitoring_alert_policy.burn : policy.combiner == "AND" && [
        for condition in slice(policy.conditions, 0, 2) : [condition.condition_threshold[0].filter, condition.condition_threshold[0].threshold_value]
        ] == [
        for seconds in endswith(name, "-fast") ? [3600, 300] : [86400, 7200] :
        ["select_slo_burn_rate(\"${google_monitoring_slo.objectives[trimsuffix(trimsuffix(name, "-fast"), "-slow")].name}\", \"${seconds}s\")", endswith(name, "-fast") ? 14.4 : 3]
      ]
    ])
    error_message = "An alert asks its objective in a long window and in a short one, both at once."
  }

  assert {
    condition = alltrue([
      for name, policy in google_monitoring_alert_policy.burn :
      length(policy.conditions) == (strcontains(name, "-wait-") ? 2 : 3)
    ])
    error_message = "An alert about requests also asks for enough of them."
  }

  assert {
    condition     = sum(concat([for policy in google_monitoring_alert_policy.burn : length(policy.conditions)], [length(google_monitoring_alert_policy.promql), length(google_monitoring_alert_policy.threshold)])) == 80
    error_message = "All alerts have 80 conditions, as README.md says: each may have a price."
  }

  assert {
    condition = (
      google_monitoring_alert_policy.burn["customers-availability-fast"].conditions[2].condition_threshold[0].threshold_value == 4
      && google_monitoring_alert_policy.burn["customers-availability-fast"].conditions[2].condition_threshold[0].filter == google_monitoring_slo.objectives["customers-availability"].request_based_sli[0].good_total_ratio[0].bad_service_filter
      && google_monitoring_alert_policy.burn["customers-availability-slow"].conditions[2].condition_threshold[0].aggregations[0].alignment_period == "86400s"
    )
    error_message = "Fewer than 5 failures in the long window are no outage."
  }

  assert {
    condition = alltrue([
      for policy in values(google_monitoring_alert_policy.burn) :
      toset(policy.notification_channels) == toset(["projects/test-project/notificationChannels/1"]) && length(one(policy.documentation).content) > 50
    ])
    error_message = "Every alert goes to all channels, and says what to do."
  }
}
