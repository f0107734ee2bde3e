"""Sums up a page of Gmail's history: new mails, removed mails, and changed labels."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from modules.email.integration_gmail_records import Change, ChangeKind

UNSEEN = frozenset({"DRAFT", "TRASH", "SPAM", "CHAT"})
"""Labels that exclude a mail from the mirror while it has them."""


@dataclass(slots=True)
class Relabelling:
    """The label changes of a known mail, in order: added (True) or removed."""

    thread_id: str
    labels: dict[str, bool] = field(default_factory=dict[str, bool])

    def applied(self, before: Iterable[str]) -> tuple[str, ...]:
        """Return the labels after the changes."""
        kept = [label for label in before if self.labels.get(label, True)]
        return tuple(dict.fromkeys([*kept, *(label for label, came in self.labels.items() if came)]))


@dataclass(slots=True)
class NetChanges:
    """The net result of changes. A mail is in at most one of the three."""

    fetch: dict[str, str] = field(default_factory=dict[str, str])
    """Mails to fetch, with their threads."""
    gone: dict[str, str] = field(default_factory=dict[str, str])
    relabelled: dict[str, Relabelling] = field(default_factory=dict[str, Relabelling])

    def take(self, change: Change) -> None:
        """Add one change, later than all before."""
        hidden = not UNSEEN.isdisjoint(change.labels)
        match change.kind:
            case ChangeKind.ADDED if not hidden:
                self._look(change)
            case ChangeKind.UNLABELLED if hidden:
                self._look(change)
            case ChangeKind.LABELLED | ChangeKind.UNLABELLED if not hidden:
                self._relabel(change, came=change.kind is ChangeKind.LABELLED)
            case _:
                self._lose(change)

    def _look(self, change: Change) -> None:
        self.gone.pop(change.id, None)
        self.relabelled.pop(change.id, None)
        self.fetch[change.id] = change.thread_id

    def _lose(self, change: Change) -> None:
        self.fetch.pop(change.id, None)
        self.relabelled.pop(change.id, None)
        self.gone[change.id] = change.thread_id

    def _relabel(self, change: Change, *, came: bool) -> None:
        if change.id in self.fetch or change.id in self.gone:
            return
        relabelling = self.relabelled.setdefault(change.id, Relabelling(change.thread_id))
        relabelling.labels |= dict.fromkeys(change.labels, came)


def net_of(changes: Iterable[Change]) -> NetChanges:
    """Return the net result of changes, given oldest first."""
    net = NetChanges()
    for change in changes:
        net.take(change)
    return net
