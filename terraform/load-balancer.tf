# With a domain: one address for all HTTP functions, with Cloud Armor before them. There is no port 80: a caller that
# begins with http:// would have sent its key in the clear before any redirect.

locals {
  load_balanced = local.has_domain ? local.http_functions : {}
  domain_count  = local.has_domain ? 1 : 0
}

resource "google_compute_region_network_endpoint_group" "functions" {
  for_each = local.load_balanced

  name                  = each.key
  region                = var.region
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = module.function[each.key].name
  }

  depends_on = [google_project_service.apis]
}

resource "google_compute_backend_service" "functions" {
  for_each = local.load_balanced

  name                  = each.key
  load_balancing_scheme = "EXTERNAL_MANAGED"
  security_policy       = google_compute_security_policy.api[0].id

  backend {
    group = google_compute_region_network_endpoint_group.functions[each.key].id
  }

  log_config {
    enable      = true
    sample_rate = 1
  }
}

# The whole path goes to the function. What no function has goes to `ingestion`, which answers 404 in the form of the API.
resource "google_compute_url_map" "api" {
  count = local.domain_count

  name            = "ingestion-api"
  default_service = google_compute_backend_service.functions["ingestion"].id

  host_rule {
    hosts        = [var.domain]
    path_matcher = "functions"
  }

  path_matcher {
    name            = "functions"
    default_service = google_compute_backend_service.functions["ingestion"].id

    dynamic "path_rule" {
      for_each = local.load_balanced

      content {
        paths   = ["/${path_rule.key}", "/${path_rule.key}/*"]
        service = google_compute_backend_service.functions[path_rule.key].id
      }
    }
  }
}

# The service counts the requests of each key; here an address that brings no key, or many, is held back before it costs
# anything. No rule looks into bodies for attack patterns: names and product texts look like them, and nothing here ever
# becomes SQL or HTML.
resource "google_compute_security_policy" "api" {
  count = local.domain_count

  name        = "ingestion-api"
  description = "Bounds the requests of one address"

  rule {
    priority    = 100
    action      = "throttle"
    description = "Requests a minute of one address"

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"

      rate_limit_threshold {
        count        = var.requests_per_minute_per_ip
        interval_sec = 60
      }
    }
  }

  rule {
    priority    = 2147483647
    action      = "allow"
    description = "Every policy ends with a default"

    match {
      versioned_expr = "SRC_IPS_V1"

      config {
        src_ip_ranges = ["*"]
      }
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_compute_global_address" "api" {
  count = local.domain_count

  name = "ingestion-api"

  depends_on = [google_project_service.apis]
}

# Google issues and renews it once the domain's A record points to the address.
resource "google_compute_managed_ssl_certificate" "api" {
  count = local.domain_count

  name = "ingestion-api-${substr(sha256(var.domain), 0, 8)}"

  managed {
    domains = [var.domain]
  }

  lifecycle {
    create_before_destroy = true # another domain is another certificate, and the proxy needs one all the time
  }

  depends_on = [google_project_service.apis]
}

resource "google_compute_ssl_policy" "api" {
  count = local.domain_count

  name            = "ingestion-api"
  profile         = "MODERN"
  min_tls_version = "TLS_1_2"

  depends_on = [google_project_service.apis]
}

resource "google_compute_target_https_proxy" "api" {
  count = local.domain_count

  name             = "ingestion-api"
  url_map          = google_compute_url_map.api[0].id
  ssl_certificates = [google_compute_managed_ssl_certificate.api[0].id]
  ssl_policy       = google_compute_ssl_policy.api[0].id
}

resource "google_compute_global_forwarding_rule" "api" {
  count = local.domain_count

  name                  = "ingestion-api"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = google_compute_global_address.api[0].id
  ip_protocol           = "TCP"
  port_range            = "443"
  target                = google_compute_target_https_proxy.api[0].id
}
