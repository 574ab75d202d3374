"""Links: sample paths of channels, and foreign formats that describe a link."""
