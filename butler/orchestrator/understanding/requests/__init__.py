"""Turns what the reader marked into the requests of a message."""
