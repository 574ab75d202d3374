"""The schema of documents as a validator made once: checking the schema takes half a second."""

from __future__ import annotations

from functools import cache

from jsonschema import Draft202012Validator

from airtcp.scenario.tables import document_schema


@cache
def documents() -> Draft202012Validator:
    """Obeyed by a document if `validate` of it raises nothing."""
    schema = document_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)
