"""Requests about boards and their cards."""
