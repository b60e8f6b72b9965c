variable "name" {
  description = "Name of the function, of its artifact and of its service account (with fn- before it)."
  type        = string
}

variable "region" {
  type = string
}

variable "runtime" {
  type = string
}

variable "entry_point" {
  description = "The name that the code registers with the functions framework."
  type        = string
}

variable "artifact" {
  description = "Path of the zip to deploy."
  type        = string

  validation {
    condition     = fileexists(var.artifact)
    error_message = "There is no ${var.artifact}: npm run build makes it."
  }
}

variable "checksum" {
  description = "SHA-256 of the artifact, in hexadecimal. Null: any bytes are deployed."
  type        = string
  default     = null

  validation {
    condition     = var.checksum == null || try(filesha256(var.artifact), null) == var.checksum
    error_message = "${var.artifact} is not the artifact of the release: its SHA-256 is another."
  }
}

variable "source_bucket" {
  type = string
}

variable "docker_repository" {
  description = "Artifact Registry repository for the built images: projects/…/locations/…/repositories/…"
  type        = string
}

variable "build_service_account" {
  description = "Identity that builds: projects/…/serviceAccounts/…"
  type        = string
}

variable "ingress" {
  description = "Where requests may come from: ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB or ALLOW_INTERNAL_ONLY."
  type        = string
}

variable "invoker" {
  description = "The one member that may call the function."
  type        = string
}

variable "memory" {
  description = "Mi or Gi."
  type        = string

  validation {
    condition     = can(regex("^[1-9][0-9]*(Mi|Gi)$", var.memory))
    error_message = "memory must be a number with Mi or Gi, such as 512Mi."
  }
}

locals {
  memory_mib = try(tonumber(trimsuffix(var.memory, "Mi")), tonumber(trimsuffix(var.memory, "Gi")) * 1024, 0)
}

variable "cpu" {
  type = number

  validation {
    condition     = contains([1, 2, 4, 6, 8], var.cpu) || (var.cpu >= 0.08 && var.cpu < 1)
    error_message = "cpu must be 1, 2, 4, 6 or 8, or between 0.08 and 1."
  }

  # What Cloud Run takes together; it would refuse only after the build.
  validation {
    condition     = local.memory_mib >= (var.cpu >= 6 ? 4096 : var.cpu >= 4 ? 2048 : 128)
    error_message = "cpu needs more memory: 4 need at least 2Gi, 6 and 8 at least 4Gi, and less than that at least 128Mi."
  }

  validation {
    condition     = local.memory_mib <= (var.cpu < 0.5 ? 512 : var.cpu < 1 ? 1024 : var.cpu * 4096)
    error_message = "cpu is too little for the memory: below 0.5 takes at most 512Mi, below 1 at most 1Gi, 1 takes 4Gi, 2 takes 8Gi, 4 takes 16Gi, 6 takes 24Gi, 8 takes 32Gi."
  }
}

variable "concurrency" {
  description = "Requests that an instance works on at once."
  type        = number

  validation {
    condition     = var.concurrency >= 1 && var.concurrency <= 1000 && floor(var.concurrency) == var.concurrency
    error_message = "concurrency must be a whole number from 1 to 1000."
  }

  validation {
    condition     = var.concurrency == 1 || var.cpu >= 1
    error_message = "concurrency above 1 needs at least one cpu."
  }
}

variable "timeout_seconds" {
  type = number

  validation {
    condition     = var.timeout_seconds >= 30 && var.timeout_seconds <= (var.ingress == "ALLOW_INTERNAL_ONLY" ? 540 : 3600)
    error_message = "timeout_seconds must be from 30 (the service works up to 20 s on a request) to 3600, of a function that Pub/Sub calls to 540: its acknowledgement deadline is a minute longer, and at most 600."
  }
}

variable "min_instances" {
  type = number

  validation {
    condition     = var.min_instances >= 0 && var.min_instances <= var.max_instances
    error_message = "min_instances must be from 0 to max_instances."
  }
}

variable "max_instances" {
  type = number

  validation {
    condition     = var.max_instances >= 1
    error_message = "max_instances must be at least 1: Cloud Run takes 0 for no bound."
  }
}

variable "environment" {
  type = map(string)
}
