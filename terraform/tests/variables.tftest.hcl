# Bad variables are refused, each by its own rule.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "project_id_in_capitals" {
  command = plan

  variables {
    project_id = "Test-Project"
  }

  expect_failures = [var.project_id]
}

run "unknown_environment" {
  command = plan

  variables {
    environment = "production"
  }

  expect_failures = [var.environment]
}

run "zone_for_a_region" {
  command = plan

  variables {
    region = "europe-west1-b"
  }

  expect_failures = [var.region]
}

run "database_id_in_capitals" {
  command = plan

  variables {
    firestore_database = "Ingestion"
  }

  expect_failures = [var.firestore_database]
}

run "domain_with_a_scheme" {
  command = plan

  variables {
    domain = "https://ingest.example.com"
  }

  expect_failures = [var.domain]
}

run "domain_with_a_path" {
  command = plan

  variables {
    domain = "example.com/ingest"
  }

  expect_failures = [var.domain]
}

run "rate_below_one_key" {
  command = plan

  variables {
    requests_per_minute_per_ip = 50
  }

  expect_failures = [var.requests_per_minute_per_ip]
}

run "retired_runtime" {
  command = plan

  variables {
    runtime = "nodejs20"
  }

  expect_failures = [var.runtime]
}

run "unknown_function" {
  command = plan

  variables {
    functions = { customer = { min_instances = 1 } }
  }

  expect_failures = [var.functions]
}

run "more_requests_at_once_than_an_instance_takes" {
  command = plan

  variables {
    functions = { customers = { concurrency = 65 } }
  }

  expect_failures = [var.functions]
}

run "unit_longer_than_the_timeout" {
  command = plan

  variables {
    functions = { transfer-runner = { environment = { TRANSFER_STEP_SECONDS = "500" } } }
  }

  expect_failures = [var.functions]
}

run "part_of_a_second_for_grants" {
  command = plan

  variables {
    grant_wait_seconds = 0.5
  }

  expect_failures = [var.grant_wait_seconds]
}

run "reports_kept_for_no_time" {
  command = plan

  variables {
    reports_retention_days = 0
  }

  expect_failures = [var.reports_retention_days]
}

run "alert_to_no_address" {
  command = plan

  variables {
    alert_emails = ["on-call"]
  }

  expect_failures = [var.alert_emails]
}

run "channel_by_its_title" {
  command = plan

  variables {
    notification_channels = ["Pager"]
  }

  expect_failures = [var.notification_channels]
}

run "zone_for_a_region_of_jobs" {
  command = plan

  variables {
    scheduler_locations = ["europe-west1", "europe-west3-b"]
  }

  expect_failures = [var.scheduler_locations]
}

run "region_of_jobs_twice" {
  command = plan

  variables {
    scheduler_locations = ["europe-west1", "europe-west3", "europe-west1"]
  }

  expect_failures = [var.scheduler_locations]
}

run "former_region_of_jobs" {
  command = plan

  variables {
    scheduler_location = "europe-west3"
  }

  expect_failures = [var.scheduler_location]
}
