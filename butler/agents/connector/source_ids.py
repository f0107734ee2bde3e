"""The ids of sources in memory: the same place has the same id."""

import hashlib

_LONGEST = 1_000
"""Bytes; databases do not index texts of unlimited length."""


def source_id_of(kind: str, place: str) -> str:
    """Return `web:<address>` or `local:<path>`; a very long place is cut and gets the digest of the whole."""
    data = place.encode("utf-8", "replace")
    if len(data) <= _LONGEST:
        return f"{kind}:{place}"
    return f"{kind}:{data[:200].decode('utf-8', 'ignore')}#sha256={hashlib.sha256(data).hexdigest()}"
