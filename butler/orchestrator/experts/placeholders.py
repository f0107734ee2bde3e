"""Placeholders in an expert's texts, filled strictly: an author can insert known names, and no code."""

import re
from collections.abc import Mapping

from butler.orchestrator.experts.errors import PlaceholderError

NAMES = ("butler_name", "zone")
"""The names allowed between `{{` and `}}`: the butler's name, and the owner's time zone."""
PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}|\{%|\{#|\{\{")


def check(text: str, where: str) -> None:
    """Raise `PlaceholderError` for anything that looks like a placeholder but is none."""
    for found in PLACEHOLDER.finditer(text):
        if found[1] not in NAMES:
            raise PlaceholderError(f"{found[0]} in {where}; there are {', '.join(NAMES)}")


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a checked text with its placeholders filled."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], text)
