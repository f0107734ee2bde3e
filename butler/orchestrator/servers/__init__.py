"""Which signals the tools of servers know by name."""
