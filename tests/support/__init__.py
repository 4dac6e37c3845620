"""What tests share: small independent evaluators and generators."""
