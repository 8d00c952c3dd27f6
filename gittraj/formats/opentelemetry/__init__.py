"""OpenTelemetry's spans for generative AI."""
