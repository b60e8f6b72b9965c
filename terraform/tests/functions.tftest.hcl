# The rows of the map become functions.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "sources" {
  assert {
    condition     = output.sources == { for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs", "deletion-consumer", "upload-consumer", "transfer-runner"] : name => "${name}/${filesha256("./tests/fixtures/${name}.zip")}.zip" }
    error_message = "What is deployed is named by its content."
  }
}

run "release" {
  variables {
    release            = "v1.2.0"
    artifact_checksums = { for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs", "deletion-consumer", "upload-consumer", "transfer-runner"] : name => filesha256("./tests/fixtures/${name}.zip") }
  }

  assert {
    condition     = output.release == "v1.2.0" && output.project_id == "test-project"
    error_message = "Whoever deploys the next release learns what to roll back to, and where."
  }
}

run "defaults" {
  command = plan

  assert {
    condition     = alltrue([for name, row in local.functions : row.entry_point == name])
    error_message = "A function's entry point has its name."
  }

  assert {
    condition     = alltrue([for row in local.functions : row.environment.GOOGLE_CLOUD_PROJECT == "test-project" && row.environment.FIRESTORE_DATABASE == "(default)" && row.environment.REPORTS_BUCKET == "test-project-transfer-reports"])
    error_message = "Every function is told its project, database and bucket."
  }

  assert {
    condition     = alltrue([for row in local.functions : row.environment.TRANSFER_SERVICE_ACCOUNT == "fn-transfer-runner@test-project.iam.gserviceaccount.com"])
    error_message = "Every function is told the identity that reads tenants' buckets."
  }

  assert {
    condition     = [for topic in ["DELETIONS_TOPIC", "TRANSFERS_TOPIC", "UPLOADS_TOPIC", "DEAD_LETTERS_TOPIC"] : local.functions["transfer-runner"].environment[topic]] == ["deletions", "transfers", "uploads", "dead-letters"]
    error_message = "Every function is told its topics."
  }

  assert {
    condition     = local.functions["transfer-runner"].memory == "1Gi"
    error_message = "transfer-runner's memory does not grow with a file."
  }

  assert {
    condition     = local.functions["console"].min_instances == 0 && local.functions["console"].environment.TRUSTED_PROXIES == "0"
    error_message = "The console costs nothing while nobody uses it, and without a load balancer believes no address but the platform's."
  }

  assert {
    condition     = local.functions["docs"].min_instances == 0 && local.functions["docs"].memory == "256Mi" && length(local.functions["docs"].publishes) == 0
    error_message = "The reference costs nothing while nobody reads it."
  }

  assert {
    condition     = output.cpus_at_most == 107
    error_message = "The operator is told how many CPUs all maxima take together; functions.tf and README.md name the default's."
  }
}

run "overrides" {
  command = plan

  variables {
    functions = {
      customers       = { min_instances = 2, max_instances = 50 }
      transfer-runner = { memory = "2Gi", concurrency = 8, environment = { TRANSFER_STEP_SECONDS = "120" } }
    }
  }

  assert {
    condition     = local.functions["customers"].min_instances == 2 && local.functions["customers"].max_instances == 50 && local.functions["customers"].memory == "1Gi"
    error_message = "An override changes what it names, and nothing else."
  }

  assert {
    condition     = local.functions["transfer-runner"].concurrency == 8 && local.functions["transfer-runner"].environment.TRANSFER_CONCURRENCY == "8"
    error_message = "Cloud Run sends an instance of transfer-runner as many files as its code takes."
  }

  assert {
    condition     = local.functions["transfer-runner"].environment.TRANSFER_STEP_SECONDS == "120"
    error_message = "Environment variables are added to the defaults."
  }
}
