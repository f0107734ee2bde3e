"""Bounds the nesting of tags before a page is parsed: parsing time grows with the square of the depth."""

import re
from collections import Counter

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_UNCLOSED = frozenset(
    {"br", "img", "hr", "meta", "link", "input", "p", "li", "td", "th", "tr", "col", "o", "v", "wbr", "source", "area"}
    | {"base", "param", "dt", "dd", "option", "tbody", "thead"}
)
"""Tags without content, or closed by the next tag."""


_FLAT_ENOUGH = 1_000
"""The number of tags that can be parsed in time however they nest."""


def nests_deeper_than(most: int, html: str) -> bool:
    """Return whether more tags than `most` are open at once."""
    if html.count("<") <= max(most, _FLAT_ENOUGH):
        return False
    open_tags: Counter[str] = Counter()
    depth = 0
    for closing, name in _TAG.findall(html):
        tag = name.lower()
        if tag in _UNCLOSED:
            continue
        if not closing:
            open_tags[tag] += 1
            depth += 1
        elif open_tags[tag]:
            open_tags[tag] -= 1
            depth -= 1
        if depth > most:
            return True
    return False
