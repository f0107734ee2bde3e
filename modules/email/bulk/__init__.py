"""Many of the person's mails at once, at Gmail and over IMAP."""
