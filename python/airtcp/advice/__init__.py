"""Which choice is best on a link, and how sure is that: models screen, simulation decides."""
