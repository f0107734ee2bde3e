"""Requests about mail."""
