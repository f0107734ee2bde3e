"""The owner's Gmail: its API's requests and answers, sending, the mirror and push."""
