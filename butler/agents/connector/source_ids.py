"""What memory knows a source by: the same place, the same id."""

import hashlib

_LONGEST = 1_000
"""Bytes; databases index no texts of any length."""


def source_id_of(kind: str, place: str) -> str:
    """`web:<address>` or `local:<path>`; of a very long place its beginning and the digest of all of it."""
    data = place.encode("utf-8", "replace")
    if len(data) <= _LONGEST:
        return f"{kind}:{place}"
    return f"{kind}:{data[:200].decode('utf-8', 'ignore')}#sha256={hashlib.sha256(data).hexdigest()}"
