"""Requests about reminders."""
