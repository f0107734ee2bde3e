"""How a card names a call's arguments: in the owner's words, not by their names in programs."""

from approvals.visible import visible_line
from butler.contract.speech import phrase, say

_WORDS = {
    "about": phrase("what is shown of it"),
    "account": phrase("the account"),
    "add_guests": phrase("who is invited"),
    "answers": phrase("what is answered"),
    "attachments": phrase("the files"),
    "attendee": phrase("who is invited"),
    "bcc": phrase("Bcc"),
    "before": phrase("how old they are"),
    "board": phrase("the board"),
    "body": phrase("the text"),
    "card": phrase("which card it is"),
    "cards": phrase("the choice of cards"),
    "cc": phrase("Cc"),
    "clashes": phrase("what is there at that time"),
    "comment": phrase("the text"),
    "description": phrase("the text"),
    "done": phrase("whether it is done"),
    "due": phrase("the due date"),
    "end": phrase("its end"),
    "ends": phrase("its end"),
    "event": phrase("which event it is"),
    "events": phrase("the choice of events"),
    "going": phrase("what goes"),
    "guests": phrase("who is invited"),
    "inbox": phrase("where they lie"),
    "keep": phrase("what is kept"),
    "location": phrase("the place"),
    "mails": phrase("the choice of mails"),
    "message_id": phrase("the message"),
    "message_ids": phrase("the messages"),
    "name": phrase("the name"),
    "organizer": phrase("the recipient"),
    "place": phrase("where it goes"),
    "recurrence_id": phrase("which of them"),
    "remove_guests": phrase("who is no longer invited"),
    "response": phrase("the answer"),
    "sender": phrase("your address"),
    "senders": phrase("whose they are"),
    "sequence": phrase("its revision"),
    "since": phrase("how old they are"),
    "start": phrase("its start"),
    "starts": phrase("its start"),
    "subject": phrase("the subject"),
    "summary": phrase("its title"),
    "text": phrase("the text"),
    "title": phrase("its title"),
    "to": phrase("the recipient"),
    "to_board": phrase("the board"),
    "to_list": phrase("the list"),
    "uid": phrase("the invitation"),
    "unread": phrase("whether they are read"),
    "was": phrase("what it said before"),
    "words": phrase("what is looked for"),
}
_PARTS = {
    "account": (phrase("account"), phrase("Account")),
    "answers": (phrase("answers"), phrase("Answers")),
    "attachments": (phrase("attachments"), phrase("Attachments")),
    "attendee": (phrase("attendee"), phrase("Attendee")),
    "bcc": (phrase("bcc"), phrase("Bcc")),
    "body": (phrase("body"), phrase("Body")),
    "cc": (phrase("cc"), phrase("Cc")),
    "chat": (phrase("chat"), phrase("Chat")),
    "comment": (phrase("comment"), phrase("Comment")),
    "ends": (phrase("ends"), phrase("Ends")),
    "going": (phrase("going"), phrase("Going")),
    "message_id": (phrase("message id"), phrase("Message id")),
    "message_ids": (phrase("message ids"), phrase("Message ids")),
    "organizer": (phrase("organizer"), phrase("Organizer")),
    "quote": (phrase("quote"), phrase("Quote")),
    "recurrence_id": (phrase("recurrence id"), phrase("Recurrence id")),
    "reply_all": (phrase("reply all"), phrase("Reply all")),
    "response": (phrase("response"), phrase("Response")),
    "sender": (phrase("sender"), phrase("Sender")),
    "sequence": (phrase("sequence"), phrase("Sequence")),
    "source": (phrase("source"), phrase("Source")),
    "starts": (phrase("starts"), phrase("Starts")),
    "subject": (phrase("subject"), phrase("Subject")),
    "summary": (phrase("summary"), phrase("Summary")),
    "text": (phrase("text"), phrase("Text")),
    "title": (phrase("title"), phrase("Title")),
    "to": (phrase("to"), phrase("To")),
    "uid": (phrase("uid"), phrase("Uid")),
    "was": (phrase("was"), phrase("Was")),
    "words": (phrase("words"), phrase("Words")),
}
"""Names in a rule: within a line, and as a label of its card."""
_ALONE = {
    "message_id": phrase("message_id"),
    "message_ids": phrase("message_ids"),
    "recurrence_id": phrase("recurrence_id"),
    "reply_all": phrase("reply_all"),
    "after": phrase("after"),
    "before": phrase("before"),
    "called": phrase("called"),
    "folder": phrase("folder"),
    "kind": phrase("kind"),
    "limit": phrase("limit"),
    "list": phrase("list"),
    "muted": phrase("muted"),
    "person": phrase("person"),
    "question": phrase("question"),
    "since": phrase("since"),
    "source_id": phrase("source_id"),
    "topic": phrase("topic"),
    "unread": phrase("unread"),
    "url": phrase("url"),
}
"""Labels where a card has only argument names, beside the first words of `_PARTS`."""


def argument_label(argument: str) -> str:
    """Return words such as `the recipient` for `to`; an argument without words of its own keeps its name."""
    return say(_WORDS[argument]) if argument in _WORDS else argument.replace("_", " ")


def part_of(argument: str) -> str:
    """Return a name within a line of a rule, such as `subject`."""
    return say(_PARTS[argument][0]) if argument in _PARTS else visible_line(argument.replace("_", " "))


def part_label(argument: str) -> str:
    """Return a name as a label, such as `Subject`."""
    if argument in _PARTS:
        return say(_PARTS[argument][1])
    return visible_line(argument.replace("_", " ")).capitalize()


def left_out_label(path: str) -> str:
    """Return the label of a value that a tool's preview leaves out: the argument's name, in words if it has any."""
    if path in _ALONE:
        return say(_ALONE[path])
    return say(_PARTS[path][0]) if path in _PARTS else path
