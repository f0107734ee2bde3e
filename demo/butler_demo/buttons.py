"""Every button the bot has shown in the owner's chat, so that one can be tapped again, or when it is gone."""

from dataclasses import dataclass

from butler_demo.events import ChatChanged


@dataclass(frozen=True, slots=True)
class Shown:
    """A button with data, on a message."""

    message_id: int
    label: str
    data: str


class ButtonIndex:
    """Learns from each message of the bot; the newest message with a button is the one shown last or edited last."""

    def __init__(self) -> None:
        self._history: list[Shown] = []
        self._standing: dict[int, tuple[Shown, ...]] = {}
        self._cards: list[int] = []

    def note(self, message: ChatChanged) -> None:
        """Remember what stands on this message now."""
        shown = tuple(
            Shown(message.message_id, button.label, button.data)
            for row in message.buttons
            for button in row
            if button.data is not None
        )
        self._standing[message.message_id] = shown
        self._history += [button for button in shown if button not in self._history]
        if shown and message.message_id not in self._cards:
            self._cards.append(message.message_id)

    @property
    def newest_card(self) -> int | None:
        """The newest message that has buttons, or else the newest that ever had some."""
        standing = [message_id for message_id in self._cards if self._standing[message_id]]
        return max(standing or self._cards, default=None)

    def newest(self, label: str) -> Shown | None:
        """The button with this label on the newest message that has one."""
        standing = (self._standing[message_id] for message_id in sorted(self._standing, reverse=True))
        return next((button for buttons in standing for button in buttons if _same(button.label, label)), None)

    def stale(self, label: str) -> Shown | None:
        """A button with this label that was taken away, else one on a message older than the newest with it."""
        known = [button for button in reversed(self._history) if _same(button.label, label)]
        gone = [button for button in known if button not in self._standing[button.message_id]]
        newest = self.newest(label)
        return next(iter(gone), None) or next((button for button in known if button != newest), None)

    def standing_labels(self) -> list[str]:
        """The labels one can tap now, newest message first."""
        ordered = sorted(self._standing, reverse=True)
        return list(dict.fromkeys(button.label for message_id in ordered for button in self._standing[message_id]))


def _same(label: str, wanted: str) -> bool:
    """Whether two labels are the same to a person: case and decoration do not count."""
    return _bare(label) == _bare(wanted)


def _bare(label: str) -> str:
    return " ".join("".join(char if char.isalnum() else " " for char in label).split()).casefold()
