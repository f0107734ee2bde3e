"""Mailboxes over IMAP: the protocol's syntax, a connection, reading, sending and the mirror."""
