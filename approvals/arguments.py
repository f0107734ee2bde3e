"""How a card speaks of a call's arguments: in the person's words, not by the names that programs give them."""

_WORDS = {
    "account": "the account",
    "answers": "what is answered",
    "attachments": "the files",
    "bcc": "Bcc",
    "body": "the text",
    "cc": "Cc",
    "message_id": "the message",
    "message_ids": "the messages",
    "sender": "your address",
    "subject": "the subject",
    "text": "the text",
    "to": "the recipient",
    "was": "what it said before",
}


def said_as(argument: str) -> str:
    """Such as `the recipient` for `to`; an argument without words of its own goes by its name."""
    return _WORDS.get(argument) or argument.replace("_", " ")
