"""Renders the documents that a search found."""

from collections.abc import Mapping
from typing import Any

from butler.contract.card import Rich
from butler.contract.found_items import mapping
from modules._remote.found_text import finds, listed, text_of


def hits_text(data: Mapping[str, Any]) -> Rich:
    """Return each document with its title, text and score."""
    found = [mapping(one) for one in listed(data.get("hits"))]
    items = [(str(one.get("title") or ""), text_of(one, "document"), one.get("score")) for one in found]
    return finds(items, data)
