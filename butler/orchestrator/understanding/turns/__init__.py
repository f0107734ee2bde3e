"""Reads a message in the context of the messages before it."""
