"""Groups as their members run them: made, given topics, upgraded. Every bot is a member of every group."""

from .chats import group_chat, supergroup_chat
from .errors import PersonError
from .records import Json
from .state import State

ANONYMOUS_ADMIN: Json = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}
_SUPERGROUP_BASE = -1_000_000_000_000
_TOPIC_COLOUR = 7322096


class Groups:
    """The part of the stand-in's Python side that deals with groups."""

    def __init__(self, state: State) -> None:
        self.state = state

    def add_group(self, chat_id: int, title: str) -> None:
        """A basic group; `chat_id` is negative and small."""
        if not _SUPERGROUP_BASE < chat_id < 0:
            raise PersonError("a basic group's id is negative and has at most 12 digits")
        self.state.groups[chat_id] = group_chat(chat_id, title)

    def add_supergroup(self, chat_id: int, title: str, *, username: str | None = None, is_forum: bool = False) -> None:
        """A supergroup, with `is_forum` one that has topics; `chat_id` starts with -100."""
        if chat_id >= _SUPERGROUP_BASE:
            raise PersonError("a supergroup's id is -100 followed by its ten-digit number")
        self.state.groups[chat_id] = supergroup_chat(chat_id, title, username=username, is_forum=is_forum)

    def add_topic(self, token: str, chat_id: int, name: str) -> int:
        """A topic of a forum; the bot sees the service message. Returns the thread id."""
        bot, chat = self.state.known_bot(token), self.state.groups.get(chat_id)
        if chat is None or not chat.wire.get("is_forum"):
            raise PersonError(f"{chat_id} is no forum: call add_supergroup with is_forum")
        created = {"name": name, "icon_color": _TOPIC_COLOUR}
        message = self.state.post(bot, chat, {"from": ANONYMOUS_ADMIN, "forum_topic_created": created})
        thread_id: int = message["message_id"]
        marked = chat.in_topic(thread_id, message)
        chat.messages[thread_id] = chat.topics[thread_id] = marked
        self.state.issue(bot, "message", marked)
        return thread_id

    def switch_topics_off(self, chat_id: int) -> None:
        """Turn a forum into a plain supergroup: its thread ids are gone."""
        chat = self.state.groups[chat_id]
        chat.wire = {key: value for key, value in chat.wire.items() if key != "is_forum"}
        chat.topics.clear()

    def upgrade_group(self, token: str, chat_id: int, new_chat_id: int | None = None) -> int:
        """Make a supergroup of a basic group: a service message in each, then the old id is refused.

        Returns the new chat id.
        """
        bot, old = self.state.known_bot(token), self.state.groups.get(chat_id)
        if old is None or old.wire["type"] != "group" or old.migrated_to is not None:
            raise PersonError(f"{chat_id} is no basic group: call add_group first")
        new_id = new_chat_id or _SUPERGROUP_BASE + chat_id
        self.add_supergroup(new_id, old.wire["title"])
        left = self.state.post(bot, old, {"from": ANONYMOUS_ADMIN, "migrate_to_chat_id": new_id})
        self.state.issue(bot, "message", left)
        old.migrated_to = new_id
        new = self.state.groups[new_id]
        arrived = self.state.post(bot, new, {"from": ANONYMOUS_ADMIN, "migrate_from_chat_id": chat_id})
        self.state.issue(bot, "message", arrived)
        return new_id
