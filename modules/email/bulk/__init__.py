"""Bulk operations on the owner's mails, in Gmail and over IMAP."""
