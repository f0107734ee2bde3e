"""Parses MIME: splits a mail into its headers and parts, and decodes the text of their bytes."""
