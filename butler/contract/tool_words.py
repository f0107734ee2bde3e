"""What a tool is about, in words: its channel and what it does there. A name without words here is shown as it is."""

from butler.contract.names import ToolName
from butler.contract.speech import phrase, say

_CHANNELS = {
    "calendar": phrase("Calendar"),
    "digests": phrase("Digests"),
    "documents": phrase("Documents"),
    "drive": phrase("Drive"),
    "email": phrase("Email"),
    "files": phrase("Files"),
    "memory": phrase("Memory"),
    "notes": phrase("Notes"),
    "reminders": phrase("Reminders"),
    "web": phrase("Web"),
}
_ARGUMENTS = {
    "account": phrase("account"),
    "assign": phrase("put on it"),
    "board": phrase("board"),
    "body": phrase("text"),
    "card": phrase("card"),
    "collection": phrase("collection"),
    "description": phrase("description"),
    "due": phrase("due"),
    "end": phrase("end"),
    "guests": phrase("guests"),
    "in_list": phrase("list"),
    "labels": phrase("labels"),
    "location": phrase("place"),
    "mails": phrase("mails"),
    "message": phrase("message"),
    "minutes": phrase("minutes"),
    "name": phrase("name"),
    "points": phrase("points"),
    "start": phrase("start"),
    "subject": phrase("subject"),
    "text": phrase("text"),
    "title": phrase("title"),
    "to": phrase("to"),
    "to_list": phrase("list"),
}
"""What an automation gives to a tool, within a line."""
_ACTIONS = {
    "answer_invite": (phrase("answer invite"), phrase("Answer invite")),
    "archive": (phrase("archive"), phrase("Archive")),
    "change_event": (phrase("change event"), phrase("Change event")),
    "colour_event": (phrase("colour event"), phrase("Colour event")),
    "create": (phrase("create"), phrase("Create")),
    "comment_card": (phrase("comment on a card"), phrase("Comment on a card")),
    "create_card": (phrase("make a card"), phrase("Make a card")),
    "create_event": (phrase("create event"), phrase("Create event")),
    "decline_event": (phrase("decline event"), phrase("Decline event")),
    "delete_event": (phrase("delete event"), phrase("Delete event")),
    "delete_message": (phrase("delete message"), phrase("Delete message")),
    "draft_reply": (phrase("draft reply"), phrase("Draft reply")),
    "edit_message": (phrase("edit message"), phrase("Edit message")),
    "find_free_time": (phrase("find free time"), phrase("Find free time")),
    "forget": (phrase("forget"), phrase("Forget")),
    "get_message_history": (phrase("get message history"), phrase("Get message history")),
    "list_calendars": (phrase("list calendars"), phrase("List calendars")),
    "list_dialogs": (phrase("list dialogs"), phrase("List dialogs")),
    "list_events": (phrase("list events"), phrase("List events")),
    "list_threads": (phrase("list threads"), phrase("List threads")),
    "move_event": (phrase("move event"), phrase("Move event")),
    "read": (phrase("read"), phrase("Read")),
    "read_event": (phrase("read event"), phrase("Read event")),
    "read_message": (phrase("read message"), phrase("Read message")),
    "read_page": (phrase("read page"), phrase("Read page")),
    "remember": (phrase("remember"), phrase("Remember")),
    "remind_event": (phrase("remind event"), phrase("Remind event")),
    "reply_to_message": (phrase("reply to message"), phrase("Reply to message")),
    "reply_to_thread": (phrase("reply to thread"), phrase("Reply to thread")),
    "search": (phrase("search"), phrase("Search")),
    "search_inbox": (phrase("search inbox"), phrase("Search inbox")),
    "send_message": (phrase("send message"), phrase("Send message")),
    "unsubscribe": (phrase("unsubscribe"), phrase("Unsubscribe")),
}
"""Words within a line, and at its beginning."""


def channel_of(tool: str) -> str:
    """Return a name such as `Telegram`."""
    channel = ToolName.parse(tool).channel
    return say(_CHANNELS[channel]) if channel in _CHANNELS else channel.capitalize()


def action_of(tool: str) -> str:
    """Return words such as `send message`."""
    action = ToolName.parse(tool).action
    return say(_ACTIONS[action][0]) if action in _ACTIONS else action.replace("_", " ")


def action_first(tool: str) -> str:
    """Return the words as a line begins with them, such as `Send message`."""
    action = ToolName.parse(tool).action
    return say(_ACTIONS[action][1]) if action in _ACTIONS else action.replace("_", " ").capitalize()


def argument_of(name: str) -> str:
    """Return words such as `list` for `in_list`."""
    return say(_ARGUMENTS[name]) if name in _ARGUMENTS else name.replace("_", " ")
