"""Builds the mails that leave."""
