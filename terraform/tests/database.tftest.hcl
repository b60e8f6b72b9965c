# What is stored is kept, and indexed no more than queries need.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "prod_is_protected" {
  assert {
    condition     = google_firestore_database.this.delete_protection_state == "DELETE_PROTECTION_ENABLED"
    error_message = "The database of prod cannot be deleted."
  }

  assert {
    condition     = google_firestore_database.this.deletion_policy == "DELETE"
    error_message = "A destroy meets the protection, and does not leave the database behind in silence."
  }

  assert {
    condition     = google_storage_bucket.reports.force_destroy == false
    error_message = "A bucket of reports with objects cannot be deleted in prod."
  }

  assert {
    condition     = google_firestore_database.this.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED"
    error_message = "Any minute of the last 7 days can be restored."
  }

  assert {
    condition     = length(google_firestore_backup_schedule.daily.daily_recurrence) == 1 && google_firestore_backup_schedule.daily.retention == "604800s"
    error_message = "There is a backup a day, kept for 7 days."
  }

  assert {
    condition     = one(google_firestore_backup_schedule.weekly.weekly_recurrence).day == "SUNDAY" && google_firestore_backup_schedule.weekly.retention == "8467200s"
    error_message = "There is a backup a week, kept for 14 weeks."
  }
}

run "staging_may_be_destroyed" {
  command = plan

  variables {
    environment = "staging"
  }

  assert {
    condition     = google_firestore_database.this.delete_protection_state == "DELETE_PROTECTION_DISABLED" && google_storage_bucket.reports.force_destroy
    error_message = "Staging can be destroyed."
  }
}

run "protection_can_be_lifted" {
  command = plan

  variables {
    deletion_protection = false
  }

  assert {
    condition     = google_firestore_database.this.delete_protection_state == "DELETE_PROTECTION_DISABLED"
    error_message = "The first step of destroying prod lifts the protection."
  }
}

run "indexes" {
  assert {
    condition     = alltrue([for exemption in google_firestore_field.exempt : exemption.field == "*" && length(one(exemption.index_config).indexes) == 0])
    error_message = "No field is indexed unless it is named."
  }

  assert {
    condition     = alltrue([for field in google_firestore_field.queried : contains(keys(google_firestore_field.exempt), field.collection)])
    error_message = "A collection that is queried has its other fields exempt."
  }

  assert {
    condition     = alltrue([for field in google_firestore_field.queried : one(one(field.index_config).indexes).order == "ASCENDING" && one(one(field.index_config).indexes).query_scope == "COLLECTION"])
    error_message = "A queried field has the one index that an equality needs."
  }

  assert {
    condition = alltrue([
      for index in google_firestore_index.last_queried :
      contains(keys(google_firestore_field.exempt), index.collection) && index.query_scope == "COLLECTION" &&
      join(" ", [for field in index.fields : field.order]) == "ASCENDING DESCENDING" && index.fields[1].field_path == "__name__"
    ])
    error_message = "A field of a query for the last documents has the one index that an equality in the opposite order of ids needs."
  }

  assert {
    condition = toset(keys(google_firestore_field.expiry)) == local.expiring && contains(local.expiring, "transferRuns") && alltrue([
      for field in google_firestore_field.expiry :
      field.field == "expireAt" && length(field.ttl_config) == 1 && length(one(field.index_config).indexes) == 0
    ])
    error_message = "Counters, receipts, runs and notes of files expire, without an index on the time."
  }
}

run "another_database" {
  variables {
    firestore_database = "ingestion"
    firestore_location = "eur3"
  }

  assert {
    condition     = google_firestore_database.this.name == "ingestion" && google_firestore_database.this.location_id == "eur3" && output.operator_environment.FIRESTORE_DATABASE == "ingestion"
    error_message = "The database's id and location can be chosen, and the operator is told."
  }

  assert {
    condition     = alltrue([for grant in google_project_iam_member.firestore : one(grant.condition).expression == "resource.name == \"projects/test-project/databases/ingestion\""])
    error_message = "Grants follow the database."
  }
}
