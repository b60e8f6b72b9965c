variable "project_id" {
  description = "The project that holds this environment, and nothing else."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id must be a project id: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "environment" {
  description = "prod, staging or dev: a label of every resource; prod is protected against deletion."
  type        = string
  default     = "prod"
  nullable    = false

  validation {
    condition     = contains(["prod", "staging", "dev"], var.environment)
    error_message = "environment must be prod, staging or dev."
  }
}

variable "region" {
  description = "Region of the functions and the buckets, and part of the default base URL."
  type        = string
  default     = "europe-west1"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region must be a region such as europe-west1, without a zone."
  }
}

variable "firestore_location" {
  description = "Location of the database, fixed once it exists: a region, or a multi-region such as eur3. Null: the region."
  type        = string
  default     = null
}

variable "firestore_database" {
  description = "Id of the database. The operator's command line expects (default) unless it is told otherwise."
  type        = string
  default     = "(default)"
  nullable    = false

  validation {
    condition     = var.firestore_database == "(default)" || can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", var.firestore_database))
    error_message = "firestore_database must be (default), or 4 to 63 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "scheduler_locations" {
  description = "Regions of the Cloud Scheduler jobs: the first has the service's own ones, and all share those of tenants. More may be added at any time; one that is taken away must have no jobs of tenants. Empty: the region."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for location in var.scheduler_locations : can(regex("^[a-z]+-[a-z]+[0-9]+$", location))]) && length(distinct(var.scheduler_locations)) == length(var.scheduler_locations)
    error_message = "scheduler_locations must be regions such as europe-west1, without zones, each once."
  }
}

# Terraform only warns of a variable that it does not know, and would move the jobs' region without a word.
variable "scheduler_location" {
  description = "The former name: it must be null."
  type        = string
  default     = null

  validation {
    condition     = var.scheduler_location == null
    error_message = "scheduler_location has become a list: write scheduler_locations, with this region as the first one."
  }
}

variable "domain" {
  description = "Domain of the base URL, behind a load balancer with Cloud Armor. Null: the regional functions address."
  type        = string
  default     = null

  validation {
    condition     = var.domain == null || can(regex("^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$", var.domain))
    error_message = "domain must be a lower-case host name such as ingest.example.com, without a scheme, port or path."
  }
}

variable "requests_per_minute_per_ip" {
  description = "Requests a minute that Cloud Armor lets through from one IP address; with a domain only. An agency may use many keys from one address, each with its own limit."
  type        = number
  default     = 3000
  nullable    = false

  validation {
    condition     = var.requests_per_minute_per_ip >= 100 && floor(var.requests_per_minute_per_ip) == var.requests_per_minute_per_ip
    error_message = "requests_per_minute_per_ip must be a whole number of at least 100, the service's own limit for one key."
  }
}

variable "runtime" {
  description = "Runtime of the functions."
  type        = string
  default     = "nodejs24"
  nullable    = false

  validation {
    condition     = contains(["nodejs22", "nodejs24"], var.runtime)
    error_message = "runtime must be nodejs24 or nodejs22."
  }
}

variable "artifacts_dir" {
  description = "Folder with <function>.zip for each function, as `npm run build` writes it; relative to this folder."
  type        = string
  default     = "../dist"
  nullable    = false
}

variable "artifact_checksums" {
  description = "SHA-256 in hexadecimal of the artifact of each function; one that is another, or has none, is refused. Empty: whatever artifacts_dir has. npm run deploy sets it."
  type        = map(string)
  default     = {}
  nullable    = false
}

variable "release" {
  description = "Name of the release that is deployed, such as v1.2.0; null for a build that is none. npm run deploy sets it."
  type        = string
  default     = null
}

variable "functions" {
  description = "What differs from the defaults in functions.tf, by function; null keeps the default. The max_instances of all functions together, each times its cpu, must fit into the CPU allocation of the region (quota CpuAllocPerProjectRegion)."
  type = map(object({
    memory          = optional(string)
    cpu             = optional(number)
    concurrency     = optional(number)
    timeout_seconds = optional(number)
    min_instances   = optional(number)
    max_instances   = optional(number)
    environment     = optional(map(string), {})
  }))
  default  = {}
  nullable = false

  validation {
    condition = alltrue([
      for name in keys(var.functions) :
      contains(["customers", "products", "orders", "ingestion", "usage", "console", "docs", "deletion-consumer", "upload-consumer", "transfer-runner"], name)
    ])
    error_message = "functions may name customers, products, orders, ingestion, usage, console, docs, deletion-consumer, upload-consumer and transfer-runner only."
  }

  validation {
    condition = alltrue([
      for name in ["customers", "products", "orders", "ingestion", "usage", "console"] : try(coalesce(var.functions[name].concurrency, 1), 1) <= 64
    ])
    error_message = "concurrency of an HTTP function may be at most 64: an instance refuses more requests at once with 503."
  }

  validation {
    condition = (
      try(tonumber(var.functions["transfer-runner"].environment["TRANSFER_STEP_SECONDS"]), 240) + 60
      <= coalesce(try(var.functions["transfer-runner"].timeout_seconds, null), 540)
    )
    error_message = "TRANSFER_STEP_SECONDS of transfer-runner must be at least a minute below its timeout_seconds: a step ends the slice that it is at."
  }
}

variable "grant_wait_seconds" {
  description = "Seconds between the grants of the identity that builds and the first build. Grants take minutes to spread."
  type        = number
  default     = 180
  nullable    = false

  validation {
    condition     = var.grant_wait_seconds >= 0 && floor(var.grant_wait_seconds) == var.grant_wait_seconds
    error_message = "grant_wait_seconds must be a whole number of at least 0."
  }
}

variable "reports_retention_days" {
  description = "Days after which the reports of transfers' bad rows are deleted; a run can be replayed until then."
  type        = number
  default     = 90
  nullable    = false

  validation {
    condition     = var.reports_retention_days >= 1 && floor(var.reports_retention_days) == var.reports_retention_days
    error_message = "reports_retention_days must be a whole number of at least 1."
  }
}

variable "deletion_protection" {
  description = "Refuses to delete the database and a bucket that is not empty. Null: in prod only."
  type        = bool
  default     = null
}

variable "alert_emails" {
  description = "E-mail addresses that alerts go to."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for email in var.alert_emails : can(regex("^[^@\\s]+@[^@\\s]+$", email))])
    error_message = "alert_emails must be e-mail addresses."
  }
}

variable "notification_channels" {
  description = "Names (projects/…/notificationChannels/…) of existing channels that alerts go to as well: a pager, a chat."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for name in var.notification_channels : can(regex("^projects/[^/]+/notificationChannels/[^/]+$", name))])
    error_message = "notification_channels must be names of the form projects/PROJECT/notificationChannels/ID."
  }
}
