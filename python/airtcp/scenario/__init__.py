"""A scenario as data: the document, what it may hold, its points."""
