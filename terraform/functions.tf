# The functions. A row's name is the function's name, its artifact's name and the first segment of its path.
#
# trigger                null: HTTP, open to callers, who bring a key of the service. Else the topic whose messages Pub/Sub
#                        pushes, the deliveries after which one becomes a dead letter (messaging.tf has the times), and the
#                        age that the oldest unacknowledged one should not pass (objectives.tf).
# publishes              the topics that it may publish to; identities.tf grants no other.
# memory, cpu            a whole CPU is the least that Cloud Run takes for more than one request at once.
# concurrency            requests that one instance works on at once.
# timeout_seconds        of a request. Of a pushed one at most 540: the acknowledgement deadline is a minute longer.
# min_, max_instances    none is kept warm by default; the maximum bounds the cost and the load on Firestore. All maxima
#                        together take 107 CPUs of the region's allocation; a new project may have 20 (README.md, "Deploy").

locals {
  # Files that one instance reads at once. The code refuses more (429), and Cloud Run sends no more, but starts another
  # instance instead.
  files_at_once = coalesce(try(var.functions["transfer-runner"].concurrency, null), 4)

  # An upsert reads up to 16 MiB of JSON and works on it for at most 20 s; the rest of the time is for a slow upload:
  # the largest body takes 524 s on a line of 256 kbit/s. The code ends slower ones itself, and those that stand still.
  # Measured (test/artifacts/memory): with its heap of 384 MiB an instance takes at most 512 MiB, whatever is sent; the code bounds
  # the work that it does at once, and refuses more. The rest of 1 GiB is reserve. Upserts mostly wait for Firestore, so that one
  # CPU serves many at once. The dashboard shows the memory and the instances that it really takes.
  upserts = {
    trigger         = null
    publishes       = ["deletions"]
    memory          = "1Gi"
    cpu             = 1
    concurrency     = 16
    timeout_seconds = 540
    min_instances   = 0
    max_instances   = 20
    environment     = { NODE_OPTIONS = "--max-old-space-size=384" } # shared/platform/heap.ts
  }

  function_defaults = {
    customers = merge(local.upserts, { entry_point = "customers" })
    products  = merge(local.upserts, { entry_point = "products" })
    orders    = merge(local.upserts, { entry_point = "orders" })

    # Small bodies, and mostly waiting for Cloud Scheduler, which takes 500 writes a minute in any case. A stream of bad rows takes
    # up to 240 s (STREAM_MS in shared/limits/requests.ts); the code sends at most 8 at once.
    ingestion = {
      entry_point     = "ingestion"
      trigger         = null
      publishes       = ["transfers"]
      memory          = "512Mi"
      cpu             = 1
      concurrency     = 40
      timeout_seconds = 300
      min_instances   = 0
      max_instances   = 5
      environment     = { NODE_OPTIONS = "--max-old-space-size=384" } # shared/platform/heap.ts
    }

    # Reads counters, some thousand small documents at most, and adds them up: a console asks it from time to time.
    usage = {
      entry_point     = "usage"
      trigger         = null
      publishes       = []
      memory          = "512Mi"
      cpu             = 1
      concurrency     = 16
      timeout_seconds = 60
      min_instances   = 0
      max_instances   = 2
      environment     = { NODE_OPTIONS = "--max-old-space-size=384" } # shared/platform/heap.ts
    }

    # The API for people in a browser: whatever that sends and reads, and the files of the pages. Few people ask for little at
    # once, and mostly wait.
    console = merge(local.upserts, {
      entry_point   = "console"
      publishes     = ["deletions", "transfers"]
      concurrency   = 40
      max_instances = 3
    })

    # Sends files from its memory, of some kilobytes each, and reaches nothing.
    docs = {
      entry_point     = "docs"
      trigger         = null
      publishes       = []
      memory          = "256Mi"
      cpu             = 1
      concurrency     = 40
      timeout_seconds = 30
      min_instances   = 0
      max_instances   = 2
      environment     = {}
    }

    # A deletion reads and writes at most some hundred documents, and at most 20 s long.
    deletion-consumer = {
      entry_point     = "deletion-consumer"
      trigger         = { topic = "deletions", max_delivery_attempts = 30, wait_seconds = 900 }
      publishes       = ["deletions", "dead-letters"]
      memory          = "512Mi"
      cpu             = 1
      concurrency     = 8
      timeout_seconds = 60
      min_instances   = 0
      max_instances   = 10
      environment     = { NODE_OPTIONS = "--max-old-space-size=384" } # shared/platform/heap.ts
    }

    # An upload is a handful of small reads and writes. A bucket that gets 10,000 files at once has as many events, which are
    # soon handled, or wait a little; the runs of thousands of tenants are started by one message, at most 20 s long. So are
    # those that have waited for their minute after the full hour.
    upload-consumer = {
      entry_point     = "upload-consumer"
      trigger         = { topic = "uploads", max_delivery_attempts = 30, wait_seconds = 900 }
      publishes       = ["transfers", "uploads", "dead-letters"]
      memory          = "512Mi"
      cpu             = 1
      concurrency     = 16
      timeout_seconds = 60
      min_instances   = 0
      max_instances   = 5
      environment     = { NODE_OPTIONS = "--max-old-space-size=384" } # shared/platform/heap.ts
    }

    # A step works on files for TRANSFER_STEP_SECONDS (240 by default), then ends the slice it is at. Of one tenant at most
    # TRANSFER_TENANT_CONCURRENCY steps (8 by default) are under way. Both are settings of `environment`. Its memory does not
    # grow with the file. A row group of Parquet is in memory outside of the heap: at most 256 MiB in four steps.
    transfer-runner = {
      entry_point     = "transfer-runner"
      trigger         = { topic = "transfers", max_delivery_attempts = 100, wait_seconds = 3600 }
      publishes       = ["transfers", "dead-letters"]
      memory          = "1Gi"
      cpu             = 1
      concurrency     = local.files_at_once
      timeout_seconds = 540
      min_instances   = 0
      max_instances   = 20
      environment = {
        TRANSFER_CONCURRENCY = tostring(local.files_at_once)
        NODE_OPTIONS         = "--max-semi-space-size=4 --max-old-space-size=384" # shared/platform/heap.ts
      }
    }
  }

  functions = {
    for name, row in local.function_defaults : name => {
      entry_point     = row.entry_point
      trigger         = row.trigger
      publishes       = row.publishes
      memory          = coalesce(try(var.functions[name].memory, null), row.memory)
      cpu             = coalesce(try(var.functions[name].cpu, null), row.cpu)
      concurrency     = coalesce(try(var.functions[name].concurrency, null), row.concurrency)
      timeout_seconds = coalesce(try(var.functions[name].timeout_seconds, null), row.timeout_seconds)
      min_instances   = coalesce(try(var.functions[name].min_instances, null), row.min_instances)
      max_instances   = coalesce(try(var.functions[name].max_instances, null), row.max_instances)
      environment     = merge(local.service_environment, row.environment, try(var.functions[name].environment, {}))
    }
  }

  http_functions = { for name, row in local.functions : name => row if row.trigger == null }
  push_functions = { for name, row in local.functions : name => row if row.trigger != null }

  # shared/config.ts reads these.
  service_environment = {
    GOOGLE_CLOUD_PROJECT = var.project_id
    FIRESTORE_DATABASE   = google_firestore_database.this.name
    SCHEDULER_LOCATIONS  = join(",", local.scheduler_locations)
    DELETIONS_TOPIC      = google_pubsub_topic.topics["deletions"].name
    TRANSFERS_TOPIC      = google_pubsub_topic.topics["transfers"].name
    UPLOADS_TOPIC        = google_pubsub_topic.topics["uploads"].name
    DEAD_LETTERS_TOPIC   = google_pubsub_topic.topics["dead-letters"].name
    REPORTS_BUCKET       = google_storage_bucket.reports.name
    TRUSTED_PROXIES      = local.has_domain ? "1" : "0" # the load balancer
    # By its name (modules/function): a function cannot be told what another row of the map has become.
    TRANSFER_SERVICE_ACCOUNT = "fn-transfer-runner@${var.project_id}.iam.gserviceaccount.com"

    # Google's libraries need not look for the metadata server, nor remember that they did not find it in time.
    METADATA_SERVER_DETECTION = "assume-present"

    LOG_EXECUTION_ID = "true" # the platform's default, which a later plan would otherwise take away
  }
}

module "function" {
  source   = "./modules/function"
  for_each = local.functions

  name                  = each.key
  region                = var.region
  runtime               = var.runtime
  entry_point           = each.value.entry_point
  artifact              = "${var.artifacts_dir}/${each.key}.zip"
  checksum              = length(var.artifact_checksums) == 0 ? null : lookup(var.artifact_checksums, each.key, "none")
  source_bucket         = google_storage_bucket.sources.name
  docker_repository     = google_artifact_registry_repository.functions.id
  build_service_account = google_service_account.build.name
  memory                = each.value.memory
  cpu                   = each.value.cpu
  concurrency           = each.value.concurrency
  timeout_seconds       = each.value.timeout_seconds
  min_instances         = each.value.min_instances
  max_instances         = each.value.max_instances
  environment           = each.value.environment

  # Callers of the API have no Google identity: the service checks its own keys. Consumers take messages from Pub/Sub only.
  ingress = each.value.trigger != null ? "ALLOW_INTERNAL_ONLY" : local.has_domain ? "ALLOW_INTERNAL_AND_GCLB" : "ALLOW_ALL"
  invoker = each.value.trigger != null ? google_service_account.push.member : "allUsers"

  depends_on = [
    google_project_service.apis,
    google_project_iam_member.build_logs,
    google_project_iam_member.build_sources,
    google_storage_bucket_iam_member.build_sources,
    google_artifact_registry_repository_iam_member.build_images,
    terraform_data.build_grants_in_effect,
    # A release that queries a new field serves only once its index is built.
    google_firestore_field.queried,
    google_firestore_index.last_queried,
  ]
}
