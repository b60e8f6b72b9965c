# The two forms of the base URL, and who can reach a function past it.

mock_provider "google" {}

variables {
  project_id         = "test-project"
  artifacts_dir      = "./tests/fixtures"
  grant_wait_seconds = 0
}

run "regional_address" {
  assert {
    condition     = output.base_url == "https://europe-west1-test-project.cloudfunctions.net"
    error_message = "Without a domain the base URL is the regional functions address."
  }

  assert {
    condition     = alltrue([for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs"] : module.function[name].ingress == "ALLOW_ALL"])
    error_message = "Without a domain the HTTP functions are open to the internet."
  }

  assert {
    condition     = length(google_compute_global_forwarding_rule.api) == 0 && output.load_balancer_ip == null && !contains(keys(google_project_service.apis), "compute.googleapis.com")
    error_message = "Without a domain there is no load balancer to pay for."
  }
}

run "domain" {
  variables {
    domain = "ingest.example.com"
  }

  assert {
    condition     = output.base_url == "https://ingest.example.com"
    error_message = "With a domain the base URL is that domain."
  }

  assert {
    condition     = alltrue([for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs"] : module.function[name].ingress == "ALLOW_INTERNAL_AND_GCLB"])
    error_message = "With a domain nobody gets past the load balancer."
  }

  assert {
    condition     = alltrue([for name in ["deletion-consumer", "upload-consumer", "transfer-runner"] : module.function[name].ingress == "ALLOW_INTERNAL_ONLY"]) && toset(keys(google_compute_backend_service.functions)) == toset(["customers", "products", "orders", "ingestion", "usage", "console", "docs"])
    error_message = "Consumers are not behind the load balancer either."
  }

  assert {
    condition = {
      for rule in one(google_compute_url_map.api[0].path_matcher).path_rule : join(" ", sort(rule.paths)) => rule.service
      } == {
      for name in ["customers", "products", "orders", "ingestion", "usage", "console", "docs"] : "/${name} /${name}/*" => google_compute_backend_service.functions[name].id
    }
    error_message = "Each function gets the paths under its name."
  }

  assert {
    condition     = alltrue([for service in google_compute_backend_service.functions : service.security_policy == google_compute_security_policy.api[0].id])
    error_message = "Cloud Armor is before every function."
  }

  assert {
    condition = one([
      for rule in google_compute_security_policy.api[0].rule : one(one(rule.rate_limit_options).rate_limit_threshold).count if rule.action == "throttle"
    ]) == 3000
    error_message = "Cloud Armor bounds the requests of one address."
  }

  assert {
    condition     = google_compute_global_forwarding_rule.api[0].port_range == "443" && google_compute_ssl_policy.api[0].min_tls_version == "TLS_1_2" && one(google_compute_managed_ssl_certificate.api[0].managed).domains == tolist(["ingest.example.com"])
    error_message = "HTTPS only, TLS 1.2 or newer, with a certificate for the domain."
  }
}
