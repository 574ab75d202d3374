"""Models of measured links: estimates with standard errors, and tests that can reject them."""
