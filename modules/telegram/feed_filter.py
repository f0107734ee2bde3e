"""Filters the feed by the owner's settings, and carries these over where a group becomes a supergroup."""

from collections.abc import Iterable, Mapping

from modules.telegram.user_scope import Scope


class FeedFilter:
    """A `Scope` that also tracks groups that became supergroups, and the ids of chats that were left out by name."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._moved: dict[int, int] = {}
        self._known: set[int] = set()

    @property
    def moved(self) -> Mapping[int, int]:
        """Return the supergroups to which a setting for their former basic group applies."""
        return dict(self._moved)

    def recall(self, moved: Mapping[int, int]) -> None:
        """Restore the moves that were stored."""
        self._moved = dict(moved)

    def note_move(self, old: int, new: int) -> None:
        """Carry a group's settings over to the supergroup that it became."""
        if self._scope.leaves_out(old) or self._scope.is_muted(old, in_telegram=False):
            self._moved[new] = old

    def leaves_out(self, chat: int, names: Iterable[str] = ()) -> bool:
        """Return whether a chat is never read or stored. One left out by its name is remembered by its id."""
        if chat in self._known:
            return True
        before = self._moved.get(chat)
        out = self._scope.leaves_out(chat, names) or (before is not None and self._scope.leaves_out(before))
        if out:
            self._known.add(chat)
        return out

    def is_muted(self, chat: int, names: Iterable[str] = (), *, in_telegram: bool) -> bool:
        """Return whether a chat is stored but not news; `in_telegram` is Telegram's own setting."""
        before = self._moved.get(chat)
        if before is not None and self._scope.is_muted(before, in_telegram=False):
            return True
        return self._scope.is_muted(chat, names, in_telegram=in_telegram)
