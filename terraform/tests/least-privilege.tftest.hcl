# Who may do what.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "grants" {
  assert {
    condition     = length(distinct([for function in module.function : function.service_account_email])) == 10
    error_message = "Each of the ten functions runs as an identity of its own."
  }

  assert {
    condition = alltrue([
      for grant in google_project_iam_member.firestore :
      grant.role == "roles/datastore.user" && one(grant.condition).expression == "resource.name == \"projects/test-project/databases/(default)\""
    ])
    error_message = "Every grant of Firestore is limited to the service's own database."
  }

  assert {
    condition     = toset(keys(google_project_iam_member.firestore)) == toset(["customers", "products", "orders", "ingestion", "usage", "console", "deletion-consumer", "upload-consumer", "transfer-runner"])
    error_message = "The reference has no access to Firestore."
  }

  assert {
    condition = toset(keys(google_pubsub_topic_iam_member.publishers)) == toset([
      "customers/deletions", "products/deletions", "orders/deletions", "ingestion/transfers", "console/deletions",
      "console/transfers",
      "upload-consumer/transfers", "upload-consumer/uploads", "upload-consumer/dead-letters",
      "deletion-consumer/deletions", "deletion-consumer/dead-letters", "transfer-runner/transfers", "transfer-runner/dead-letters",
    ])
    error_message = "A function may publish only to the topics that its code publishes to."
  }

  assert {
    condition = alltrue([
      for key, grant in google_pubsub_topic_iam_member.publishers :
      grant.role == "roles/pubsub.publisher"
      && grant.member == module.function[split("/", key)[0]].member
      && grant.topic == google_pubsub_topic.topics[split("/", key)[1]].name
    ])
    error_message = "A grant on a topic goes to the function and the topic that it is named after."
  }

  assert {
    condition     = { for name, grant in google_project_iam_member.transfer_jobs : name => grant.member } == { for name in ["ingestion", "console"] : name => module.function[name].member }
    error_message = "Only ingestion and the console, which serves its routes, may administer Cloud Scheduler jobs."
  }

  assert {
    condition     = alltrue([for permission in google_project_iam_custom_role.transfer_jobs.permissions : startswith(permission, "cloudscheduler.jobs.")])
    error_message = "The role for jobs has permissions on jobs only."
  }

  assert {
    condition     = google_storage_bucket_iam_member.reports.member == module.function["transfer-runner"].member && google_storage_bucket_iam_member.reports.bucket == google_storage_bucket.reports.name
    error_message = "Only transfer-runner writes to the bucket of reports."
  }

  assert {
    condition     = { for name, grant in google_storage_bucket_iam_member.reports_reader : name => grant.member } == { for name in ["ingestion", "console"] : name => module.function[name].member } && alltrue([for grant in google_storage_bucket_iam_member.reports_reader : grant.role == "roles/storage.objectViewer" && grant.bucket == google_storage_bucket.reports.name])
    error_message = "Beside it only ingestion and the console read the bucket of reports, and that bucket alone."
  }

  assert {
    condition     = output.transfer_service_account == module.function["transfer-runner"].service_account_email
    error_message = "Tenants grant access to transfer-runner and to nothing else."
  }

  assert {
    condition     = { for name, grant in google_service_account_iam_member.transfer_runner_tokens : name => grant.member } == { for name in ["ingestion", "console"] : name => module.function[name].member } && alltrue([for grant in google_service_account_iam_member.transfer_runner_tokens : grant.service_account_id == "projects/test-project/serviceAccounts/${module.function["transfer-runner"].service_account_email}"])
    error_message = "Only ingestion and the console may look at buckets as transfer-runner, and as no other function."
  }

  assert {
    condition     = toset(google_project_iam_custom_role.transfer_runner_tokens.permissions) == toset(["iam.serviceAccounts.getAccessToken"])
    error_message = "The role for that makes access tokens, and nothing else."
  }

  assert {
    condition     = startswith(one(google_project_iam_member.build_sources.condition).expression, "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-")
    error_message = "The build reads sources of functions, not the project's other buckets."
  }

  assert {
    condition = google_storage_bucket.reports.public_access_prevention == "enforced" && google_storage_bucket.sources.public_access_prevention == "enforced" && (
      google_storage_bucket.reports.uniform_bucket_level_access && google_storage_bucket.sources.uniform_bucket_level_access
    )
    error_message = "No bucket can be made public."
  }
}

run "callers" {
  assert {
    condition     = alltrue([for name in ["deletion-consumer", "upload-consumer", "transfer-runner"] : module.function[name].ingress == "ALLOW_INTERNAL_ONLY"])
    error_message = "No consumer can be reached from the internet."
  }

  assert {
    condition     = alltrue([for name in ["deletion-consumer", "upload-consumer", "transfer-runner"] : module.function[name].invoker == google_service_account.push.member])
    error_message = "Only Pub/Sub's pushing identity may call a consumer."
  }

  assert {
    condition     = alltrue([for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs"] : module.function[name].invoker == "allUsers"])
    error_message = "Callers of the API bring a key of the service, not a Google identity; readers of its reference bring nothing, nor do those of the console before they sign in."
  }

  assert {
    condition     = google_service_account_iam_member.push_tokens.service_account_id == google_service_account.push.name
    error_message = "Pub/Sub makes tokens of its pushing identity only."
  }
}
