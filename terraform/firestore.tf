# The database. shared/documents/paths.ts says what is where in it.

resource "google_firestore_database" "this" {
  name        = var.firestore_database
  location_id = local.firestore_location
  type        = "FIRESTORE_NATIVE"

  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED" # any minute of the last 7 days
  delete_protection_state           = local.is_protected ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = "DELETE" # a destroy is refused by the protection, not silently left out

  depends_on = [google_project_service.apis]
}

resource "google_firestore_backup_schedule" "daily" {
  database  = google_firestore_database.this.name
  retention = "604800s" # 7 days

  daily_recurrence {}
}

resource "google_firestore_backup_schedule" "weekly" {
  database  = google_firestore_database.this.name
  retention = "8467200s" # 14 weeks, the longest there is

  weekly_recurrence {
    day = "SUNDAY"
  }
}

# --- Indexes ----------------------------------------------------------------------------------------------------------
#
# A query filters by one field (`findWhere`) or lists a collection, or all of one name, in the order of ids (`list`,
# `listGroup`), which needs no index. A query for the last documents (`findLastWhere`) filters by one field in the opposite
# order of ids, and needs an index with both. Everything else is exempt: an index entry costs storage and write latency, a
# large record would pass the limit of 40,000 entries, and an indexed time holds a collection at 500 writes a second.
#
# What is indexed is random, or the same for many, but for `object`, the name of a run's file: a run is planned in the order of
# names, page after page, far below the 500 writes a second that such an index takes. So: `matchingEmail` and `matchingCustomerId` are hashes, since ids count
# upwards and exports are sorted; entries with one value are spread by the ids of their documents, which are hashes too (`orders/state`, of deleted orders alone). Only
# runs, the pages of a run (`pages/<folder>.<pageNumber>`, `skippedFiles` likewise) and entries of the audit log have ids that go
# with time: a run and an act of an operator are seldom, and the pages of a folder come one after the other.
# `transferRuns/status` has all tenants' runs, which are written a few times each: the runs of thousands of hourly transfers come
# within minutes, and their ids grow with time in any case. `transferRuns/begins` has those alone that wait for their minute.

locals {
  collections = toset([
    "apiKeys", "auditLog", "buckets", "consoleSessions", "customers", "deletionFlags", "deletionReceipts", "deletions", "examples",
    "leases", "files", "liveTransfers", "orders", "pages", "previewed", "products", "raisedFlags", "rateCounters", "rekeying", "replay", "reports",
    "setAsideDeletions", "skippedFiles", "skus", "takenFiles", "tenantNames", "tenants", "tombstones", "transferLanes", "transferRuns", "uploads", "usage",
    "waitingUnits", "wideDeletions",
  ])

  # <collection>/<field> of every findWhere(…), and count(…) by a value, in the code.
  queried_fields = toset([
    "apiKeys/keyId",
    "apiKeys/organizationId",
    "auditLog/actor",
    "auditLog/tenantId",
    "customers/matchingCustomerId",
    "customers/matchingEmail",
    "files/object",
    "files/status",
    "liveTransfers/bucketId",
    "liveTransfers/state",
    "orders/state",
    "previewed/matchingCustomerId",
    "previewed/matchingEmail",
    "previewed/shownIn",
    "tenants/organizationId",
    "transferRuns/begins",
  ])

  # <collection>/<field> of every findLastWhere(…) in the code.
  last_queried_fields = toset([
    "transferRuns/jobId",
    "transferRuns/status",
    "transferRuns/statusOfJob",
    "transferRuns/statusOfTenant",
    "transferRuns/tenantId",
  ])
}

resource "google_firestore_field" "exempt" {
  for_each = local.collections

  database   = google_firestore_database.this.name
  collection = each.key
  field      = "*"

  index_config {}
}

resource "google_firestore_field" "queried" {
  for_each = local.queried_fields

  database   = google_firestore_database.this.name
  collection = split("/", each.key)[0]
  field      = split("/", each.key)[1]

  index_config {
    indexes {
      order       = "ASCENDING"
      query_scope = "COLLECTION"
    }
  }
}

resource "google_firestore_index" "last_queried" {
  for_each = local.last_queried_fields

  database    = google_firestore_database.this.name
  collection  = split("/", each.key)[0]
  query_scope = "COLLECTION"

  fields {
    field_path = split("/", each.key)[1]
    order      = "ASCENDING"
  }

  # Without it the order of ids would be that of the field.
  fields {
    field_path = "__name__"
    order      = "DESCENDING"
  }
}

# Entries of the audit log are kept for 400 days. Counters of requests are of use for a minute, sessions of the console for 8 hours, receipts of deletions while their acceptance may be repeated, runs with all
# that is below them and their units for 90 days after their end (what a preview keeps of records for a day), counters of usage for 90 days, notes of files that were read while the files are in their bucket, and of uploads for a week, in which a run reads them.
# Nothing else expires: tombstones, and with them the documents of deleted orders, are memory.
locals {
  expiring = toset([
    "auditLog", "consoleSessions", "deletionReceipts", "examples", "leases", "files", "pages", "previewed", "rateCounters", "replay",
    "reports", "skippedFiles", "takenFiles", "transferLanes", "transferRuns", "uploads", "usage", "waitingUnits",
  ])
}

resource "google_firestore_field" "expiry" {
  for_each = local.expiring

  database   = google_firestore_database.this.name
  collection = each.key
  field      = "expireAt"

  ttl_config {}
  index_config {}
}
