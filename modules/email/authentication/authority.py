"""Decides who really sent a mail that claims to be the owner's, and whether it may command.

Anybody can write a From line. A mail commands only if the owner's domain signed it, as a whole and recently, for the
butler. The signature is checked here, or was by our own server, whose `Authentication-Results` the settings name; what
the signature covers is checked in both cases. All else is data.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from butler.contract.reasons import Reason, dump_reasons, in_own_words
from butler.contract.speech import phrase
from modules.email.authentication.arc import seal_of
from modules.email.authentication.auth_results import Passed, Word, word_of
from modules.email.authentication.body_form import why_open
from modules.email.authentication.key_length import FEWEST_BITS, is_short
from modules.email.authentication.signatures import FRESH, Signature, SignedMail, UnreadableError, fault_of, verifies

TxtLookup = Callable[[str], bytes | None]
"""Returns the TXT record of a name, None if there is none; raises `Retryable` if DNS does not answer."""

_PLAIN = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9.-]+"
_ONE_ADDRESS = re.compile(rf'(?:(?:"(?:[^"\\]|\\.)*"|[^"<>@,;:()]*)\s*<(?P<angle>{_PLAIN})>|(?P<bare>{_PLAIN}))')


@dataclass(frozen=True, slots=True)
class Authority:
    """Whether a mail may command, and why or why not, as the rest of a sentence that begins with the mail."""

    command: bool
    reason: Reason
    sealed_by: str = ""
    """The forwarder whose seal replaces a signature that could be checked here; else empty."""

    def told(self) -> dict[str, Any]:
        """Return the form stored in an item's payload."""
        data: dict[str, Any] = {"command": self.command, "why": dump_reasons([self.reason])}
        return data | ({"sealed_by": self.sealed_by} if self.sealed_by else {})


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected author and recipient, and whose findings on signatures count beside our own check."""

    author: str
    """The address in lower case: one of the owner's, or one with a standing answer."""
    butler: str
    authserv_id: str = ""
    """The trusted server's name; empty trusts none."""
    sealers: frozenset[str] = frozenset()
    """The domains of forwarders whose ARC seals count, in lower case."""
    long_keys: bool = False
    """Whether keys of fewer than 2,048 bits prove nothing, regardless of who found their signature valid."""

    @property
    def domain(self) -> str:
        """The domain whose signature counts."""
        return self.author.rpartition("@")[2]


def judge(raw: bytes, expected: Expected, at: datetime, lookup: TxtLookup) -> Authority:
    """Return whether a mail may command. Blocks on DNS; raise `Retryable` if the result needs DNS and it is silent."""
    try:
        mail = SignedMail.of(raw)
    except UnreadableError as error:
        return _no(in_own_words(str(error)))
    good = _good(mail, expected, at)
    if isinstance(good, Reason):
        return _no(good)
    if expected.long_keys:
        lookup = _long_keys_of(lookup)
        good, every = [one for one in good if lookup(one.key_name) is not None], good
        if not good:
            return _sealed(mail, expected, at, lookup) or _no(_short(every[0].domain))
    word = word_of(mail.values("authentication-results"), expected.authserv_id)
    if _is_found(mail, good, word):
        return Authority(
            command=True,
            reason=in_own_words(
                phrase("it is signed by {domain}, as {server} found"),
                domain=expected.domain,
                server=expected.authserv_id,
            ),
        )
    if why := _refuted(good, word, expected) or _unverified(mail, good, lookup):
        return _sealed(mail, expected, at, lookup) or _no(why)
    return Authority(command=True, reason=in_own_words(phrase("it is signed by {domain}"), domain=expected.domain))


def _long_keys_of(lookup: TxtLookup) -> TxtLookup:
    """Wrap a lookup so that it returns only the records of long enough keys."""

    def found(name: str) -> bytes | None:
        record = lookup(name)
        return None if record is None or is_short(record) else record

    return found


def _short(domain: str) -> Reason:
    text = phrase("its signature of {domain} has no key of {bits} bits or more")
    return in_own_words(text, domain=domain, bits=str(FEWEST_BITS))


def _good(mail: SignedMail, expected: Expected, at: datetime) -> list[Signature] | Reason:
    """Return the signatures that suffice if they are valid; or why there is none."""
    if _author(mail) != expected.author:
        return in_own_words(phrase("its From line does not name you alone"))
    if not _is_fresh(mail, at):
        return in_own_words(phrase("it was not written within the last two days"))
    good = list[Signature]()
    why = in_own_words(phrase("it has no signature of {domain}"), domain=expected.domain)
    for signature in mail.signatures():
        if signature.domain == expected.domain:
            fault = fault_of(mail, signature, at) or _not_for(mail, signature, expected.butler)
            fault = fault or why_open(mail, signature.signed)
            good += [] if fault else [signature]
            why = fault or why
    return good or why


def _is_found(mail: SignedMail, good: Sequence[Signature], word: Word) -> bool:
    """Return whether our own server found one of these valid, and cannot have meant another one.

    It names a signature by its domain, its key and its beginning; a forger can choose the same for a second one.
    """
    every = mail.signatures()
    if len(every) != len(mail.values("dkim-signature")):
        return False
    meant = ([one for one in every if _is_of(passed, one)] for passed in word.passed)
    return any(len(ones) == 1 and ones[0] in good for ones in meant)


def _is_of(passed: Passed, signature: Signature) -> bool:
    whole = re.sub(rb"\s", b"", signature.tags[b"b"]).decode("ascii", "replace")
    return (
        passed.domain == signature.domain
        and passed.selector in {"", signature.selector}
        and whole.startswith(passed.beginning)
    )


def _refuted(good: Sequence[Signature], word: Word, expected: Expected) -> Reason | None:
    if word.is_final and not any(_is_of(passed, signature) for passed in word.passed for signature in good):
        text = phrase("{server} did not find its signature of {domain} right")
        return in_own_words(text, server=expected.authserv_id, domain=expected.domain)
    return None


def _unverified(mail: SignedMail, good: Sequence[Signature], lookup: TxtLookup) -> Reason | None:
    """Return why none of these signatures is valid; None if one is."""
    why = None
    for signature in good:
        key = lookup(signature.key_name)
        if key is not None and verifies(mail, signature, key):
            return None
        text = (
            phrase("its signature of {domain} is not right")
            if key
            else phrase("{domain} does not know the key of its signature")
        )
        why = in_own_words(text, domain=signature.domain)
    return why


def _sealed(mail: SignedMail, expected: Expected, at: datetime, lookup: TxtLookup) -> Authority | None:
    """Return what a forwarder's seal proves in place of a signature broken on the way; None without a seal.

    The broken signature still states what it covered; so its form is checked, and the forwarder trusted for the rest.
    """
    if not expected.sealers:
        return None
    seal = seal_of(mail, expected.domain, at, expected.sealers, lookup)
    if seal.sealer:
        text = phrase("it was signed by {domain}, as {sealer} found, which forwarded it")
        why = in_own_words(text, domain=expected.domain, sealer=seal.sealer)
        return Authority(command=True, reason=why, sealed_by=seal.sealer)
    return _no(seal.why) if seal.why else None


def _no(reason: Reason) -> Authority:
    return Authority(command=False, reason=reason)


def _author(mail: SignedMail) -> str:
    """Return the one address of the one From line, in lower case; empty if there are several or none is plain."""
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


def _not_for(mail: SignedMail, signature: Signature, butler: str) -> Reason | None:
    """Return why it is not addressed to the butler: anybody could resend it a mail addressed to somebody else."""
    signed = [name for name in ("to", "cc") if name in signature.signed]
    named = {address.lower() for _, address in getaddresses([line for name in signed for line in mail.values(name)])}
    return None if butler in named else in_own_words(phrase("it is not addressed to {address}"), address=butler)
