"""The requests of a message, out of what the reader marked."""
