# One page: is it used, does it work, does it keep up, what does it write.

locals {
  run_labels = "monitored_resource=\"cloud_run_revision\",service_name=~\"${join("|", keys(local.functions))}\""
  queues     = "subscription_id=~\"${join("|", concat(keys(local.push_functions), [google_pubsub_subscription.dead_letters.name]))}\""

  charts = [
    { title = "Requests a second", query = "sum by (service_name, response_code_class) (rate(run_googleapis_com:request_count{${local.run_labels}}[5m]))" },
    { title = "95 % are answered within (ms)", query = "histogram_quantile(0.95, sum by (le, service_name) (rate(run_googleapis_com:request_latencies_bucket{${local.run_labels}}[5m])))" },
    { title = "Messages that wait", query = "max by (subscription_id) (pubsub_googleapis_com:subscription_num_undelivered_messages{${local.queues}})" },
    { title = "Age of the oldest message (s)", query = "max by (subscription_id) (pubsub_googleapis_com:subscription_oldest_unacked_message_age{${local.queues}})" },
    { title = "Instances", query = "sum by (service_name) (run_googleapis_com:container_instance_count{${local.run_labels},state=\"active\"})" },
    { title = "Memory in use (95 % of instances, share)", query = "histogram_quantile(0.95, sum by (le, service_name) (rate(run_googleapis_com:container_memory_utilizations_bucket{${local.run_labels}}[5m])))" },
    { title = "Firestore writes a second", query = "sum(rate(firestore_googleapis_com:document_write_ops_count[5m]))" },
    { title = "Firestore reads a second", query = "sum(rate(firestore_googleapis_com:document_read_ops_count[5m]))" },
    { title = "Transfer runs that ended, an hour", query = "sum by (status) (increase(${local.log_series["transfer_runs"]}}[1h]))" },
    { title = "Failed requests, an hour", query = "sum by (function) (increase(${local.log_series["failed_requests"]}}[1h]))" },
    { title = "Failed deliveries, an hour", query = "sum by (function) (increase(${local.log_series["failed_pushes"]}}[1h]))" },
    { title = "Messages rejected to the dead letters, an hour", query = "sum by (function) (increase(${local.log_series["rejected_events"]}}[1h]))" },
    { title = "Sweeps that found overdue deletions, an hour", query = "sum(increase(${local.log_series["overdue_deletions"]}}[1h]))" },
    { title = "Requests that were not counted, an hour", query = "sum(increase(${local.log_series["uncounted_requests"]}}[1h]))" },
  ]

  chart_width  = 24
  chart_height = 16
}

resource "google_monitoring_dashboard" "this" {
  dashboard_json = jsonencode({
    displayName = "Data ingestion"
    mosaicLayout = {
      columns = 2 * local.chart_width
      tiles = [
        for place, chart in local.charts : {
          xPos   = place % 2 * local.chart_width
          yPos   = floor(place / 2) * local.chart_height
          width  = local.chart_width
          height = local.chart_height
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{ plotType = "LINE", timeSeriesQuery = { prometheusQuery = chart.query } }]
            }
          }
        }
      ]
    }
  })

  depends_on = [google_project_service.apis]
}
