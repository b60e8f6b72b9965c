# What the service promises, as service level objectives, and who is told when a promise is being broken: docs/operating.md has
# the reasons of the goals, README.md, "Alerts", what to do. All of them are on metrics of Google's own: an objective on a
# log-based metric might be refused for some minutes after the metric was made, as a threshold on one is.

locals {
  # Functions whose callers wait for the same things. Every HTTP function is in one group.
  route_groups = {
    customers = { functions = ["customers"], within_ms = 5000, in_time = 0.99 }
    products  = { functions = ["products"], within_ms = 5000, in_time = 0.99 }
    orders    = { functions = ["orders"], within_ms = 5000, in_time = 0.99 }
    transfers = { functions = ["ingestion"], within_ms = 10000, in_time = 0.95 }
    pages     = { functions = ["usage", "console", "docs"], within_ms = 5000, in_time = 0.99 }
  }

  # What waits of a push function: its title, and the share of the time in which the oldest message is young enough.
  waits = {
    deletion-consumer = { title = "Accepted deletions are applied", goal = 0.99 }
    transfer-runner   = { title = "Transfers go on", goal = 0.95 }
    upload-consumer   = { title = "Uploads are noticed", goal = 0.99 }
  }

  group_filters = {
    for name, group in local.route_groups :
    name => "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=monitoring.regex.full_match(\"${join("|", group.functions)}\")"
  }
  count_filters   = { for name, filter in local.group_filters : name => "${filter} AND metric.type=\"run.googleapis.com/request_count\"" }
  failure_filters = { for name, filter in local.count_filters : name => "${filter} AND metric.labels.response_code_class=\"5xx\"" }

  # ratio, cut or windows: of requests that did not fail, of requests that were fast enough, of minutes in which the oldest
  # message was young enough. enough: how many there must be in the long window of an alert, so that one failure among ten
  # requests at night is no outage.
  objectives = merge(
    {
      for name, group in local.route_groups : "${name}-availability" => {
        title   = "Requests to ${name} are answered"
        goal    = 0.999
        ratio   = { bad = local.failure_filters[name], total = local.count_filters[name] }
        cut     = null
        windows = null
        enough  = { filter = local.failure_filters[name], at_least = 5 }
        do      = "Requests to ${join(", ", group.functions)} are answered 5xx. Look at the log lines `A request failed unexpectedly.`: they have the error, and the trace id that the caller got. None: instances are full, or end: raise max_instances or memory. A deployment just before: roll back."
      }
    },
    {
      for name, group in local.route_groups : "${name}-latency" => {
        title   = "Requests to ${name} are answered within ${group.within_ms / 1000} s"
        goal    = group.in_time
        ratio   = null
        cut     = { filter = "${local.group_filters[name]} AND metric.type=\"run.googleapis.com/request_latencies\" AND metric.labels.response_code_class=\"2xx\"", max = group.within_ms }
        windows = null
        enough  = { filter = "${local.count_filters[name]} AND metric.labels.response_code_class=\"2xx\"", at_least = 20 }
        do      = "Requests to ${join(", ", group.functions)} take longer than ${group.within_ms / 1000} s. Look at the charts of instances, memory and Firestore: all instances busy: raise max_instances. Few large bodies on slow lines of one caller: nothing is wrong here."
      }
    },
    {
      for name, wait in local.waits : "${name}-wait" => {
        title   = wait.title
        goal    = wait.goal
        ratio   = null
        cut     = null
        windows = { filter = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${google_pubsub_subscription.push[name].name}\" AND metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\"", max = local.push_functions[name].trigger.wait_seconds }
        enough  = null
        do      = "The oldest message for ${name} is over ${local.push_functions[name].trigger.wait_seconds} s old, again and again. Errors in the log of ${name}: mend them. None, and all instances busy: raise its max_instances."
      }
    },
  )

  # How fast the budget of 30 days burns, in a long window, and still in a short one, so that an incident ends soon after its
  # cause. 14.4 times: 2 % of the budget is gone in an hour, all of it in two days. 3 times: 10 % in a day, all in ten days.
  burn_rates = {
    fast = { rate = 14.4, long_seconds = 3600, short_seconds = 300, severity = "CRITICAL", tells = "fast" }
    slow = { rate = 3, long_seconds = 86400, short_seconds = 7200, severity = "WARNING", tells = "slowly" }
  }

  burn_alerts = merge([
    for name, objective in local.objectives : {
      for speed, burn in local.burn_rates : "${name}-${speed}" => merge(burn, { objective = name })
    }
  ]...)
}

resource "google_monitoring_custom_service" "this" {
  service_id   = "data-ingestion"
  display_name = "Data ingestion"

  depends_on = [google_project_service.apis]
}

resource "google_monitoring_slo" "objectives" {
  for_each = local.objectives

  service             = google_monitoring_custom_service.this.service_id
  slo_id              = each.key
  display_name        = each.value.title
  goal                = each.value.goal
  rolling_period_days = 30

  dynamic "request_based_sli" {
    for_each = each.value.windows == null ? [each.value] : []

    content {
      dynamic "good_total_ratio" {
        for_each = request_based_sli.value.ratio[*]

        content {
          bad_service_filter   = good_total_ratio.value.bad
          total_service_filter = good_total_ratio.value.total
        }
      }

      dynamic "distribution_cut" {
        for_each = request_based_sli.value.cut[*]

        content {
          distribution_filter = distribution_cut.value.filter

          range {
            max = distribution_cut.value.max
          }
        }
      }
    }
  }

  dynamic "windows_based_sli" {
    for_each = each.value.windows[*]

    content {
      window_period = "300s"

      metric_mean_in_range {
        time_series = windows_based_sli.value.filter

        range {
          max = windows_based_sli.value.max
        }
      }
    }
  }
}

resource "google_monitoring_alert_policy" "burn" {
  for_each = local.burn_alerts

  display_name          = "${local.objectives[each.value.objective].title}: missed ${each.value.tells}"
  severity              = each.value.severity
  combiner              = "AND"
  notification_channels = local.notification_channels

  dynamic "conditions" {
    for_each = [each.value.long_seconds, each.value.short_seconds]

    content {
      display_name = "The budget burns ${each.value.rate} times too fast, in ${conditions.value / 60} minutes"

      condition_threshold {
        filter          = "select_slo_burn_rate(\"${google_monitoring_slo.objectives[each.value.objective].name}\", \"${conditions.value}s\")"
        comparison      = "COMPARISON_GT"
        threshold_value = each.value.rate
        duration        = "0s"
      }
    }
  }

  dynamic "conditions" {
    for_each = local.objectives[each.value.objective].enough[*]

    content {
      display_name = "There were at least ${conditions.value.at_least}, in ${each.value.long_seconds / 60} minutes"

      condition_threshold {
        filter          = conditions.value.filter
        comparison      = "COMPARISON_GT"
        threshold_value = conditions.value.at_least - 1
        duration        = "0s"

        aggregations {
          alignment_period     = "${each.value.long_seconds}s"
          per_series_aligner   = "ALIGN_DELTA"
          cross_series_reducer = "REDUCE_SUM"
        }
      }
    }
  }

  alert_strategy {
    auto_close = "1800s" # half an hour after the last sign of it
  }

  documentation {
    mime_type = "text/markdown"
    content   = local.objectives[each.value.objective].do
  }
}
