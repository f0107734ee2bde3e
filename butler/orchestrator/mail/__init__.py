"""Handles mails to the butler."""
