"""What is done about mails to the butler."""
