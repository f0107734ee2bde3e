"""Finds the people and groups that a request means."""
