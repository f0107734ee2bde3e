"""Who is meant: people and groups."""
