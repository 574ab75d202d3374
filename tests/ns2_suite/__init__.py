"""The validation suite of ns-2, played by airtcp."""
