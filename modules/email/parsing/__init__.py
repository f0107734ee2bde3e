"""Parses raw mails into plain records, in bounded child processes."""
