# What the module sets on a function, and what it refuses.

mock_provider "google" {}

variables {
  name                  = "customers"
  region                = "europe-west1"
  runtime               = "nodejs24"
  entry_point           = "customers"
  artifact              = "./tests/fixtures/customers.zip"
  source_bucket         = "sources"
  docker_repository     = "projects/test-project/locations/europe-west1/repositories/functions"
  build_service_account = "projects/test-project/serviceAccounts/build@test-project.iam.gserviceaccount.com"
  ingress               = "ALLOW_ALL"
  invoker               = "allUsers"
  memory                = "1Gi"
  cpu                   = 1
  concurrency           = 16
  timeout_seconds       = 60
  min_instances         = 0
  max_instances         = 20
  environment           = { A = "b" }
}

run "function" {
  module {
    source = "./modules/function"
  }

  assert {
    condition = alltrue([
      one(google_cloudfunctions2_function.this.service_config).max_instance_request_concurrency == 16,
      one(google_cloudfunctions2_function.this.service_config).available_memory == "1Gi",
      one(google_cloudfunctions2_function.this.service_config).available_cpu == "1",
      one(google_cloudfunctions2_function.this.service_config).max_instance_count == 20,
      one(google_cloudfunctions2_function.this.service_config).environment_variables == tomap({ A = "b" }),
      one(google_cloudfunctions2_function.this.service_config).service_account_email == google_service_account.this.email,
    ])
    error_message = "A row's values reach the function, which runs as its own identity."
  }

  assert {
    condition = alltrue([
      one(google_cloudfunctions2_function.this.build_config).runtime == "nodejs24",
      one(google_cloudfunctions2_function.this.build_config).entry_point == "customers",
      one(google_cloudfunctions2_function.this.build_config).environment_variables == tomap({ GOOGLE_NODE_RUN_SCRIPTS = "" }),
      one(google_cloudfunctions2_function.this.build_config).service_account == var.build_service_account,
    ])
    error_message = "The build runs npm ci only, as the build's identity."
  }

  assert {
    condition     = google_cloud_run_v2_service_iam_member.invoker.role == "roles/run.invoker" && google_cloud_run_v2_service_iam_member.invoker.member == "allUsers"
    error_message = "The invoker may call, and do nothing else."
  }
}

run "consumer_timeout_above_the_longest_acknowledgement" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    ingress         = "ALLOW_INTERNAL_ONLY"
    timeout_seconds = 541
  }

  expect_failures = [var.timeout_seconds]
}

run "timeout_below_the_work_of_a_request" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    timeout_seconds = 20
  }

  expect_failures = [var.timeout_seconds]
}

run "artifact_of_the_release" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    checksum = filesha256("./tests/fixtures/customers.zip")
  }
}

run "artifact_that_was_changed" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    checksum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }

  expect_failures = [var.checksum]
}

run "artifact_that_is_not_built" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    artifact = "./tests/fixtures/nothing.zip"
  }

  expect_failures = [var.artifact]
}

run "concurrency_on_part_of_a_cpu" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    cpu = 0.5
  }

  expect_failures = [var.concurrency]
}

run "memory_without_a_unit" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    memory = "512"
  }

  expect_failures = [var.memory]
}

run "four_cpus_with_little_memory" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    cpu    = 4
    memory = "1Gi"
  }

  expect_failures = [var.cpu]
}

run "eight_cpus_with_little_memory" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    cpu    = 8
    memory = "2048Mi"
  }

  expect_failures = [var.cpu]
}

run "one_cpu_with_much_memory" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    memory = "5Gi"
  }

  expect_failures = [var.cpu]
}

run "part_of_a_cpu_with_much_memory" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    cpu         = 0.25
    concurrency = 1
    memory      = "1Gi"
  }

  expect_failures = [var.cpu]
}

run "cpus_with_just_enough_memory" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    cpu    = 4
    memory = "2Gi"
  }
}

run "as_much_memory_as_a_cpu_takes" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    memory = "4096Mi"
  }
}

run "more_instances_at_least_than_at_most" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    min_instances = 21
  }

  expect_failures = [var.min_instances]
}

run "no_bound_on_instances" {
  command = plan

  module {
    source = "./modules/function"
  }

  variables {
    max_instances = 0
  }

  expect_failures = [var.max_instances]
}
