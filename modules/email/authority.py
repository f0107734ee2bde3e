"""Who really sent a mail that claims to be the owner's, and whether it may command.

A From line is anybody's to write. A mail commands only if the owner's domain signed it, as a whole and lately, for the
butler. The signature is checked here, or was by our own server, whose `Authentication-Results` the settings name; what
the signature covers is looked at in both cases. All else is data.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import getaddresses, parsedate_to_datetime

from modules.email.signatures import FRESH, Signature, SignedMail, UnreadableError, fault_of, verifies

TxtLookup = Callable[[str], bytes | None]
"""The TXT record of a name, None where there is none; raises `Retryable` when DNS does not answer."""

_PLAIN = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+"
_ONE_ADDRESS = re.compile(rf'(?:(?:"(?:[^"\\]|\\.)*"|[^"<>@,;:()]*)\s*<(?P<angle>{_PLAIN})>|(?P<bare>{_PLAIN}))')
_COMMENT = re.compile(r"\([^()]*\)")
_DEEPEST_COMMENT = 5


@dataclass(frozen=True, slots=True)
class Authority:
    """Whether a mail may command, and why or why not, as the rest of a sentence that begins with the mail."""

    command: bool
    reason: str
    sealed_by: str = ""
    """The forwarder on whose word this rests, in place of a signature that could be checked here; else empty."""

    def told(self) -> dict[str, str | bool]:
        """As it stands in an item's payload."""
        said: dict[str, str | bool] = {"command": self.command, "reason": self.reason}
        return said | ({"sealed_by": self.sealed_by} if self.sealed_by else {})


@dataclass(frozen=True, slots=True)
class Expected:
    """Who has to have written it, to whom, and whose word on signatures counts beside our own check."""

    author: str
    """One of the owner's addresses, in lower case."""
    butler: str
    authserv_id: str = ""
    """Empty: nobody's."""
    sealers: frozenset[str] = frozenset()
    """The domains of forwarders whose ARC seals count, in lower case."""


@dataclass(frozen=True, slots=True)
class _Passed:
    """A signature that our own server found right; what it did not say is empty."""

    domain: str
    selector: str
    beginning: str

    def is_of(self, signature: Signature) -> bool:
        whole = re.sub(rb"\s", b"", signature.tags[b"b"]).decode("ascii", "replace")
        return (
            self.domain == signature.domain
            and self.selector in {"", signature.selector}
            and whole.startswith(self.beginning)
        )


@dataclass(frozen=True, slots=True)
class _Word:
    """What our own server says of a mail's signatures. `is_final`: it could check all of them."""

    passed: tuple[_Passed, ...] = ()
    is_final: bool = False


def judge(raw: bytes, expected: Expected, at: datetime, lookup: TxtLookup) -> Authority:
    """Whether a mail may command. Blocks on DNS; raises `Retryable` when DNS does not answer and it depends on it."""
    try:
        mail = SignedMail.of(raw)
    except UnreadableError as error:
        return _no(str(error))
    if _author(mail) != expected.author:
        return _no("its From line does not name you alone")
    if not _is_fresh(mail, at):
        return _no("it was not written within the last two days")
    domain = expected.author.rpartition("@")[2]
    why = f"it has no signature of {domain}"
    word = _word_of(mail, expected.authserv_id)
    for signature in mail.signatures():
        if signature.domain != domain:
            continue
        why = fault_of(mail, signature, at) or _not_for(mail, signature, expected.butler)
        if why:
            continue
        if any(one.is_of(signature) for one in word.passed):
            return Authority(command=True, reason=f"it is signed by {domain}, as {expected.authserv_id} found")
        if word.is_final:
            why = f"{expected.authserv_id} did not find its signature of {domain} right"
            continue
        key = lookup(signature.key_name)
        if key is not None and verifies(mail, signature, key):
            return Authority(command=True, reason=f"it is signed by {domain}")
        why = f"its signature of {domain} is not right" if key else f"{domain} does not know the key of its signature"
    return _no(why)


def _no(reason: str) -> Authority:
    return Authority(command=False, reason=reason)


def _author(mail: SignedMail) -> str:
    """The one address of the one From line, in lower case; empty when there are more, or none that is plain."""
    lines = mail.values("from")
    match = _ONE_ADDRESS.fullmatch(lines[0].strip()) if len(lines) == 1 else None
    return (match["angle"] or match["bare"]).lower() if match else ""


def _is_fresh(mail: SignedMail, at: datetime) -> bool:
    dates = mail.values("date")
    try:
        sent_at = parsedate_to_datetime(dates[0])
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
    return abs(at - (sent_at if sent_at.tzinfo else sent_at.replace(tzinfo=UTC))) <= FRESH


def _not_for(mail: SignedMail, signature: Signature, butler: str) -> str:
    """Why it is not addressed to the butler: else a mail to somebody else could be sent on to it by anybody."""
    signed = [name for name in ("to", "cc") if name in signature.signed]
    named = {address.lower() for _, address in getaddresses([line for name in signed for line in mail.values(name)])}
    return "" if butler in named else f"it is not addressed to {butler}"


def _word_of(mail: SignedMail, authserv_id: str) -> _Word:
    """What the topmost `Authentication-Results` of our own server says (RFC 8601); anybody may have written the others.

    A server removes what claims to be its own from a mail that comes in, which leaves the topmost one as its own.
    """
    for line in mail.values("authentication-results"):
        name, *results = _uncommented(line).split(";")
        if authserv_id and name.split()[:1] and name.split()[0].lower() == authserv_id.lower():
            return _read_word(results)
    return _Word()


def _read_word(results: Sequence[str]) -> _Word:
    passed: list[_Passed] = []
    found: set[str] = set()
    for result in results:
        method, *properties = result.split() or [""]
        match = re.fullmatch(r"dkim(?:/1)?=(\w+)", method.lower())
        if match is None:
            continue
        found.add(match[1])
        if match[1] == "pass":
            pairs = (item.partition("=") for item in properties)
            said = {name.lower(): value.strip('"') for name, _, value in pairs}
            domain = said.get("header.d") or said.get("header.i", "").rpartition("@")[2]
            passed.append(_Passed(domain.lower(), said.get("header.s", "").lower(), said.get("header.b", "")))
    return _Word(tuple(passed), bool(found) and not found & {"temperror", "neutral"})


def _uncommented(line: str) -> str:
    for _ in range(_DEEPEST_COMMENT):
        line = _COMMENT.sub(" ", line)
    return line
