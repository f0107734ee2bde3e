"""Makes others' texts storable in every database."""


def storable(text: str) -> str:
    """Remove NUL, which PostgreSQL's texts cannot hold, so that no text stops a feed."""
    return text.replace("\x00", "")
