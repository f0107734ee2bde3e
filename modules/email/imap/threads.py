"""Groups mails into conversations by their headers, for servers that do not (a subset of RFC 5256).

Mails belong together when one names the other in References or In-Reply-To, or both name a third; an answer whose
headers name no mail that is there joins the mails of the same subject.
"""

import re
from collections.abc import Iterable, Mapping

from modules.email.parsing.parsed import ParsedMail

_PREFIX = re.compile(r"^\s*(?:(?:re|aw|sv|antw|fwd?|wg)\s*(?:\[\d+\])?\s*:\s*)+", re.IGNORECASE)


def bare_subject(subject: str) -> str:
    """Return a subject without its reply and forward prefixes."""
    return " ".join(_PREFIX.sub("", subject).split())


def conversations(mails: Mapping[int, ParsedMail]) -> list[list[int]]:
    """Return the keys of each conversation, in the given order."""
    sets = _Sets()
    for key, mail in mails.items():
        for name in _names(mail):
            sets.join(key, name)
    for subject, key in _by_subject(mails, sets):
        sets.join(key, f"subject:{subject}")
    groups: dict[object, list[int]] = {}
    for key in mails:
        groups.setdefault(sets.find(key), []).append(key)
    return list(groups.values())


def _names(mail: ParsedMail) -> list[str]:
    return [name for name in (mail.message_id, mail.in_reply_to, *mail.references) if name]


def _by_subject(mails: Mapping[int, ParsedMail], sets: "_Sets") -> Iterable[tuple[str, int]]:
    """Return isolated answers, and all mails with the subject that they answer."""
    sizes: dict[object, int] = {}
    for key in mails:
        sizes[sets.find(key)] = sizes.get(sets.find(key), 0) + 1
    bare = {key: bare_subject(mail.subject).casefold() for key, mail in mails.items()}
    lost = {
        bare[key]
        for key, mail in mails.items()
        if bare[key] and sizes[sets.find(key)] == 1 and _PREFIX.match(mail.subject)
    }
    return [(subject, key) for key, subject in bare.items() if subject in lost]


class _Sets:
    """Disjoint sets."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}

    def find(self, one: object) -> object:
        while (above := self._above.get(one, one)) != one:
            self._above[one] = self._above.get(above, above)
            one = above
        return one

    def join(self, one: object, other: object) -> None:
        self._above[self.find(other)] = self.find(one)
