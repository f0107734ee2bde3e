"""The signals that the tools of servers know by name."""
