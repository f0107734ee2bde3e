"""Texts of others as every database takes them."""


def storable(text: str) -> str:
    """Without NUL, which PostgreSQL has no place for in a text: what somebody wrote stops no feed."""
    return text.replace("\x00", "")
