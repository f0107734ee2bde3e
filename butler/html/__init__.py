"""Decides which text of an HTML page or mail is visible to a person."""
