"""Advice on the best choice for a link, and its certainty: models screen, simulation decides."""
