"""Reads recurrence rules from words."""
