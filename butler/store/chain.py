"""The hash chain of the audit log: each entry holds the hash of the one before, so that any change is detected.

Only changes at the end leave a valid chain; a head noted elsewhere reveals them.
"""

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from butler.store.instants import EPOCH

GENESIS = "0" * 64
"""Stands for the hash before the first entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it is stored; `text` is canonical JSON, the very bytes that are hashed."""

    seq: int
    at: datetime
    kind: str
    subject: str
    actor: str
    text: str
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the chain as noted outside the store, with its time if known."""

    seq: int
    hash: str
    at: str = ""

    @property
    def whence(self) -> str:
        return f"at {self.at}" if self.at else "elsewhere"


def chain_hash(previous: str, seq: int, at: datetime, kind: str, subject: str, actor: str, text: str) -> str:
    """Return SHA-256 over the previous hash and all columns, unambiguously joined."""
    micros = (at - EPOCH) // timedelta(microseconds=1)
    joined = json.dumps([previous, seq, micros, kind, subject, actor, text])
    return hashlib.sha256(joined.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked chain: from entry `first` to the head `last`, and its first fault, if any.

    `broken` is one sentence on the first fault; later entries were not checked.
    """

    first: int
    last: Head
    broken: str | None


def check(entries: Iterable[Entry], heads: Sequence[Head] = (), *, part: bool = False) -> Checked:
    """Check a chain, entry by entry, against noted heads.

    A `part` may begin with any entry; what came before is trusted.
    """
    walk = _Walk(heads, part=part)
    broken = next(filter(None, map(walk.step, entries)), None) or walk.end()
    return Checked(walk.first, walk.last, broken)


class _Walk:
    def __init__(self, heads: Sequence[Head], *, part: bool) -> None:
        self._noted = deque(sorted((head for head in heads if head.seq > 0), key=lambda head: head.seq))
        self._begun = not part
        self.first, self.last = 1, Head(0, GENESIS)

    def step(self, entry: Entry) -> str | None:
        """Return the fault of the next entry, if any."""
        if not self._begun:
            self._begun, self.first, self.last = True, entry.seq, Head(entry.seq - 1, entry.previous_hash)
        expected = self.last.seq + 1
        if entry.seq > expected:
            return f"Entry {expected} of the audit log is missing."
        if entry.seq < expected:
            return f"Entry {entry.seq} of the audit log stands where entry {expected} should."
        if entry.previous_hash != self.last.hash or entry.hash != _hash_of(entry):
            return f"Entry {entry.seq} of the audit log was changed."
        self.last = Head(entry.seq, entry.hash)
        return self._against_heads(entry)

    def _against_heads(self, entry: Entry) -> str | None:
        while self._noted and self._noted[0].seq <= entry.seq:
            head = self._noted.popleft()
            if head.seq < entry.seq:
                return f"Entry {head.seq} of the audit log, noted {head.whence}, is not in this part of it."
            if head.hash != entry.hash:
                return f"Entry {head.seq} of the audit log is not the one that was noted {head.whence}."
        return None

    def end(self) -> str | None:
        """Return the fault at the end, if any."""
        if not self._noted:
            return None
        head = self._noted[0]
        return f"The audit log ends before entry {head.seq}, which was noted {head.whence}."


def _hash_of(entry: Entry) -> str:
    return chain_hash(entry.previous_hash, entry.seq, entry.at, entry.kind, entry.subject, entry.actor, entry.text)
