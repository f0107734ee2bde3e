"""Requests about the calendar."""
