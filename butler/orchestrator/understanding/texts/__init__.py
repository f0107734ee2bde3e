"""Texts that are to be sent, out of what was told about in passing."""
