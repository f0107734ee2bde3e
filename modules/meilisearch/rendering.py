"""Documents that a search found."""

from collections.abc import Mapping
from typing import Any

from butler.contract.card import Rich
from butler.contract.found_items import mapping
from modules._remote.found_text import finds, listed, text_of


def hits_text(data: Mapping[str, Any]) -> Rich:
    """Each with its title, its text and its score."""
    found = [mapping(one) for one in listed(data.get("hits"))]
    items = [(str(one.get("title") or ""), text_of(one, "document"), one.get("score")) for one in found]
    return finds(items, data)
