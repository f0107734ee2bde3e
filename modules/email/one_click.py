"""Finds out whether a mail offers one-click unsubscribing (RFC 8058), and at which address.

Anybody can write a `List-Unsubscribe` line. The offer counts only if the sender's own domain signed it: then the list's
owner says where to unsubscribe, not somebody who handled the mail on its way. The signature's age does not matter here,
as the address is shown before it is used.
"""

import re
from dataclasses import dataclass
from email.utils import getaddresses

from butler.contract.errors import Refuse
from butler.contract.speech import phrase, say, say_list
from modules.email.authentication.authority import TxtLookup
from modules.email.authentication.signatures import Signature, SignedMail, UnreadableError, verifies

NOT_OFFERED = phrase("this mail does not offer one-click unsubscribing; open it and use its link")
LONGEST_URL = 4_000
_LIST, _POST = "list-unsubscribe", "list-unsubscribe-post"
_COVERED = ("from", _LIST, _POST)
_ONE_CLICK = "list-unsubscribe=one-click"
_IN_BRACKETS = re.compile(r"<([^<>]{1,8000})>")
_ALGORITHMS = frozenset({b"rsa-sha256", b"ed25519-sha256"})


@dataclass(frozen=True, slots=True)
class Offer:
    """The address of the unsubscribing request, and the domain whose signature covers it."""

    url: str
    domain: str


def offer_of(raw: bytes, lookup: TxtLookup) -> Offer:
    """Return a mail's offer, by its bytes as received.

    Blocks on DNS. Raise `Refuse` with one sentence for the owner, and `Retryable` if DNS does not answer.
    """
    try:
        mail = SignedMail.of(raw)
    except UnreadableError as error:
        raise Refuse(say(NOT_OFFERED)) from error
    url, author = _url(mail), _author_domain(mail)
    why = say("nothing of {domain} signs it", domain=author)
    for signature in mail.signatures():
        if not _is_own(signature.domain, author):
            continue
        why = _fault(signature)
        if why:
            continue
        key = lookup(signature.key_name)
        if key is not None and verifies(mail, signature, key):
            return Offer(url, signature.domain)
        why = say("the signature of {domain} is not right, or too old to be checked", domain=signature.domain)
    raise Refuse(
        say(
            "it is not sure that the sender wrote the unsubscribe link ({why}); open the mail and use its link, if you "
            "trust it",
            why=why,
        )
    )


def _url(mail: SignedMail) -> str:
    lists, posts = mail.values(_LIST), mail.values(_POST)
    if len(lists) != 1 or len(posts) != 1 or "".join(posts[0].split()).lower() != _ONE_CLICK:
        raise Refuse(say(NOT_OFFERED))
    # A long address may be folded.
    found = ("".join(match.split()) for match in _IN_BRACKETS.findall(lists[0]))
    url = next((one for one in found if one.lower().startswith("https:")), "")
    if not url or len(url) > LONGEST_URL:
        raise Refuse(say(NOT_OFFERED))
    return url


def _author_domain(mail: SignedMail) -> str:
    people = getaddresses(mail.values("from"))
    name, _, domain = people[0][1].lower().rpartition("@") if len(people) == 1 else ("", "", "")
    if len(mail.values("from")) != 1 or not name or not domain:
        raise Refuse(say("it is not clear who sent this mail; open the mail and use its link, if you trust it"))
    return domain


def _is_own(signer: str, author: str) -> bool:
    """Return whether the signer is the author's domain or a parent of it; a subdomain may be anybody's."""
    return signer == author or ("." in signer and author.endswith(f".{signer}"))


def _fault(signature: Signature) -> str:
    if signature.tags[b"a"] not in _ALGORITHMS:
        return say("its signature is of an outdated kind")
    if b"l" in signature.tags:
        return say("its signature leaves the end of the text open")
    left_out = [name for name in _COVERED if name not in signature.signed]
    return (
        say("its signature does not cover {headers}", headers=say_list([name.title() for name in left_out]))
        if left_out
        else ""
    )
