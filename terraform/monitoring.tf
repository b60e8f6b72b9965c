# What is kept of logs, log-based metrics and alerts. What an alert means and what to do is in README.md, "Alerts". Those about
# failing and slow requests and about messages that wait are in objectives.tf.

# --- Metrics ----------------------------------------------------------------------------------------------------------

locals {
  # Lines of the log, counted by their text and, where there is one, by a field that has few values.
  log_metrics = {
    transfer_runs       = { message = "A transfer run has ended.", field = "status" }
    rejected_events     = { message = "An event can never succeed; it goes to the dead letters.", field = "function" }
    failed_pushes       = { message = "A push could not be handled; it will come again.", field = "function" }
    failed_requests     = { message = "A request failed unexpectedly.", field = "function" }
    uncounted_requests  = { message = "The rate counter cannot be reached; the request is let through.", field = null }
    overdue_deletions   = { message = "Overdue deletions were published again.", field = null }
    failing_jobs        = { message = "A recurring transfer has failed three times in a row.", field = null }
    miscounted_runs     = { message = "The rows of a transfer run do not add up.", field = null }
    refused_transfers   = { message = "No region has room for a recurring transfer; its registration is refused.", field = null }
    set_aside_deletions = { message = "A deletion cannot be applied and was set aside.", field = null }
  }
}

resource "google_logging_metric" "events" {
  for_each = local.log_metrics

  name   = each.key
  filter = "resource.type=\"cloud_run_revision\" AND jsonPayload.message=\"${each.value.message}\""

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"

    dynamic "labels" {
      for_each = each.value.field[*]

      content {
        key = labels.value
      }
    }
  }

  label_extractors = { for field in each.value.field[*] : field => "EXTRACT(jsonPayload.${field})" }

  depends_on = [google_project_service.apis]
}

# --- What is not kept -------------------------------------------------------------------------------------------------

# The platform logs each request with its address, and customers are looked up and deleted by `?email=`. An exclusion
# drops whole entries: of these requests there are no lines with time, status and caller, neither of Cloud Run nor of the
# load balancer. Metrics do not come from them, and what the functions log of a request has no address. Other sinks of
# the project or its organization are their owners'.
resource "google_logging_project_exclusion" "emails" {
  name        = "emails-in-addresses"
  description = "Requests whose address has an e-mail (an @, also encoded): personal data stays out of the logs."
  filter      = "httpRequest.requestUrl=~\"@|%40\""

  depends_on = [google_project_service.apis]
}

# --- Where alerts go --------------------------------------------------------------------------------------------------

resource "google_monitoring_notification_channel" "email" {
  for_each = var.alert_emails

  display_name = "Data ingestion: ${each.key}"
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.apis]
}

locals {
  notification_channels = concat(
    [for channel in google_monitoring_notification_channel.email : channel.name],
    tolist(var.notification_channels),
  )
}

# --- Alerts -----------------------------------------------------------------------------------------------------------

locals {
  # A series of Google's own above its threshold for a while. Not of a log-based metric: a threshold on one is refused (404,
  # `Cannot find metric(s)`) for up to ten minutes after the metric was made.
  threshold_alerts = {
    dead-letters = {
      title     = "Dead letters are present"
      severity  = "ERROR"
      filter    = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${google_pubsub_subscription.dead_letters.name}\" AND metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\""
      aligner   = "ALIGN_MAX"
      reducer   = "REDUCE_MAX"
      period    = "60s"
      duration  = "0s"
      threshold = 0
      do        = "Messages that could not be processed wait for a decision, for 7 days. `npm run --silent admin -- --project ${var.project_id} dead-letters list` says why; then `replay` or `discard`."
    }
  }

  # A log-based metric in PromQL, its braces left open for more labels.
  log_series = {
    for name, metric in google_logging_metric.events :
    name => "logging_googleapis_com:user_${metric.name}{monitored_resource=\"cloud_run_revision\""
  }

  # Of each region of Cloud Scheduler.
  job_quota_labels = "monitored_resource=\"consumer_quota\",quota_metric=\"cloudscheduler.googleapis.com/jobs\",location=~\"${join("|", local.scheduler_locations)}\""

  # Old messages for the consumer of deletions: its objective tells (objectives.tf).
  deletions_wait = "max(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=\"${google_pubsub_subscription.push["deletion-consumer"].name}\"}) > ${local.push_functions["deletion-consumer"].trigger.wait_seconds}"

  # Lines of the log, and comparisons of series. These queries are taken before their metrics exist.
  promql_alerts = {
    failed-runs = {
      title    = "A transfer run failed"
      severity = "WARNING"
      duration = "0s"
      query    = "sum(increase(${local.log_series["transfer_runs"]},status=\"failed\"}[5m])) > 0"
      do       = "`npm run --silent admin -- --project ${var.project_id} transfers runs TENANT` shows the run and its error. Mostly the tenant's bucket is gone or not readable: tell the tenant."
    }
    failing-jobs = {
      title    = "A recurring transfer keeps failing"
      severity = "ERROR"
      duration = "0s"
      query    = "sum(increase(${local.log_series["failing_jobs"]}}[5m])) > 0"
      do       = "Three runs of a daily or hourly transfer have failed in a row, and nothing new of that tenant is read. The log line `A recurring transfer has failed three times in a row.` has the tenant: `npm run --silent admin -- --project ${var.project_id} transfers runs TENANT` says why. Tell the tenant. The alert comes once, and again only after a run that has not failed."
    }
    miscounted-runs = {
      title    = "The rows of a transfer run do not add up"
      severity = "ERROR"
      duration = "0s"
      query    = "sum(increase(${local.log_series["miscounted_runs"]}}[5m])) > 0"
      do       = "Rows of a file were lost, or counted twice: a fault of the service. The log line `The rows of a transfer run do not add up.` has the tenant, the run and its counts. `npm run --silent admin -- --project ${var.project_id} transfers files RUNID` shows the file whose `read` is not the sum of its other counts. Report the fault with both, and keep the file. Then have it read again: `transfers register-historical TENANT BUCKET --folders FOLDER` stores what was lost, and changes nothing that was stored."
    }
    overdue-deletions = {
      title    = "Deletions stay pending"
      severity = "ERROR"
      duration = "1800s"
      query    = "sum(increase(${local.log_series["overdue_deletions"]}}[10m])) > 0 unless on() ${local.deletions_wait}"
      do       = "For half an hour, sweeps have found accepted deletions that are still not applied, although no old message of one waits. Look at the errors of deletion-consumer, and for dead letters of the same tenant. Upserts apply them too, so that no consent comes back."
    }
    set-aside-deletions = {
      title    = "A deletion was set aside"
      severity = "ERROR"
      duration = "0s"
      query    = "sum(increase(${local.log_series["set_aside_deletions"]}}[15m])) > 0"
      do       = "A record that should be deleted is still there. The log line has the tenant: `npm run --silent admin -- --project ${var.project_id} deletions list TENANT` says why. Mend the cause, then `deletions retry TENANT`. The alert lasts until then."
    }
    scheduler-jobs = {
      title    = "80 % of the Cloud Scheduler jobs of a region are used"
      severity = "WARNING"
      duration = "0s"
      # Both are sampled about once a day.
      query = <<-EOT
        max by (location) (last_over_time(serviceruntime_googleapis_com:quota_allocation_usage{${local.job_quota_labels}}[1d]))
        / min by (location) (last_over_time(serviceruntime_googleapis_com:quota_limit{${local.job_quota_labels}}[1d]))
        > 0.8
      EOT
      do    = "A tenant takes up to two jobs, daily and hourly. Where this region is full, new ones go to the others of scheduler_locations. Before all of them are full, ask for a higher quota (up to 5,000 a region), or add a region. A region that may stay full: snooze its alert."
    }
    refused-transfers = {
      title    = "Recurring transfers are refused"
      severity = "ERROR"
      duration = "0s"
      query    = "sum(increase(${local.log_series["refused_transfers"]}}[5m])) > 0"
      do       = "No region of scheduler_locations has room for another Cloud Scheduler job: registrations are answered 503, and transfers that are registered go on. Add a region, or ask for a higher quota (up to 5,000 a region). If no region is full, more than 500 jobs a minute were written."
    }
  }
}

resource "google_monitoring_alert_policy" "threshold" {
  for_each = local.threshold_alerts

  display_name          = each.value.title
  severity              = each.value.severity
  combiner              = "OR"
  notification_channels = local.notification_channels

  conditions {
    display_name = each.value.title

    condition_threshold {
      filter          = each.value.filter
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.threshold
      duration        = each.value.duration

      aggregations {
        alignment_period     = each.value.period
        per_series_aligner   = each.value.aligner
        cross_series_reducer = each.value.reducer
      }
    }
  }

  alert_strategy {
    auto_close = "1800s" # half an hour after the last sign of it
  }

  documentation {
    mime_type = "text/markdown"
    content   = each.value.do
  }

  depends_on = [google_project_service.apis]
}

resource "google_monitoring_alert_policy" "promql" {
  for_each = local.promql_alerts

  display_name          = each.value.title
  severity              = each.value.severity
  combiner              = "OR"
  notification_channels = local.notification_channels

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query                     = each.value.query
      duration                  = each.value.duration
      evaluation_interval       = "60s"
      disable_metric_validation = true # in an empty project no such series exists yet, and a new metric shows only after minutes
    }
  }

  alert_strategy {
    auto_close = "1800s" # half an hour after the last sign of it
  }

  documentation {
    mime_type = "text/markdown"
    content   = each.value.do
  }

  depends_on = [google_project_service.apis]
}
