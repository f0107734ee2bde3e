"""How a card speaks of a call's arguments: in the person's words, not by the names that programs give them."""

_WORDS = {
    "account": "the account",
    "answers": "what is answered",
    "attachments": "the files",
    "attendee": "who is invited",
    "bcc": "Bcc",
    "body": "the text",
    "cc": "Cc",
    "comment": "the text",
    "ends": "its end",
    "going": "what goes",
    "message_id": "the message",
    "message_ids": "the messages",
    "organizer": "the recipient",
    "recurrence_id": "which of them",
    "response": "the answer",
    "sender": "your address",
    "sequence": "its revision",
    "starts": "its start",
    "subject": "the subject",
    "summary": "its title",
    "text": "the text",
    "to": "the recipient",
    "uid": "the invitation",
    "was": "what it said before",
}


def said_as(argument: str) -> str:
    """Such as `the recipient` for `to`; an argument without words of its own goes by its name."""
    return _WORDS.get(argument) or argument.replace("_", " ")
