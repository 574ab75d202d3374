"""Links: sample paths of channels, and the formats of others that describe a link."""
