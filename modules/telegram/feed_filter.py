"""Which chats the feed leaves out, and which are no news: the owner's settings, carried over where a group moves."""

from collections.abc import Iterable, Mapping

from modules.telegram.user_scope import Scope


class FeedFilter:
    """A `Scope` that also knows which group became which supergroup, and by which ids chats were left out."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._moved: dict[int, int] = {}
        self._known: set[int] = set()

    @property
    def moved(self) -> Mapping[int, int]:
        """Supergroups that a setting concerns by the id they had as a basic group."""
        return dict(self._moved)

    def recall(self, moved: Mapping[int, int]) -> None:
        """What was noted before."""
        self._moved = dict(moved)

    def note_move(self, old: int, new: int) -> None:
        """A group became a supergroup: what was set for it goes on."""
        if self._scope.leaves_out(old) or self._scope.is_muted(old, in_telegram=False):
            self._moved[new] = old

    def leaves_out(self, chat: int, names: Iterable[str] = ()) -> bool:
        """Whether a chat is never read or kept. One that was left out by its name is known by its id from then on."""
        if chat in self._known:
            return True
        before = self._moved.get(chat)
        out = self._scope.leaves_out(chat, names) or (before is not None and self._scope.leaves_out(before))
        if out:
            self._known.add(chat)
        return out

    def is_muted(self, chat: int, names: Iterable[str] = (), *, in_telegram: bool) -> bool:
        """Whether a chat is kept and no news; `in_telegram` is what Telegram itself says."""
        before = self._moved.get(chat)
        if before is not None and self._scope.is_muted(before, in_telegram=False):
            return True
        return self._scope.is_muted(chat, names, in_telegram=in_telegram)
