"""Whatever is changed of a proved mail on its way proves nothing, or makes the same mail with the same words."""

from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.contract.module import ModuleContext
from modules.email.answerable import why_never_answered
from modules.email.authentication.authority import Expected, judge
from modules.email.authentication.signatures import MUST_BE_SIGNED
from modules.email.config import BotMailboxSettings
from modules.email.inbound import same_mail
from modules.email.parsing.parser import parse_mail
from tests.support.context import FixedOwner, make_context
from tests.support.mail_items import SERVERS, item_of, owners_words
from tests.support.sealing import FORWARDER, sealed
from tests.support.signing import BUTLER, OWNER, Dns, letter, now, rsa_record, signed
from tests.support.worded import worded

NOW = now()
WORDS = "Please look at this."
BODY = (
    f"--b1\r\nContent-Type: text/plain\r\n\r\n{WORDS}\r\n\r\n---------- Forwarded message ---------\r\n"
    "From: <x@evil.example>\r\nSubject: Hi\r\n\r\n--b2\r\n\r\nPay 900 EUR=0A<br>now.\r\n--b2--\r\n--b1--\r\n"
)
UNSIGNED = letter(NOW, BODY, Content_Type="multipart/mixed; boundary=b1", Subject="Fwd: Hi")
MAIL = signed(UNSIGNED, NOW, headers=MUST_BE_SIGNED)
CHANGED = MAIL.replace(b"Subject: ", b"Subject: [team] ")
SEALED = sealed(CHANGED, NOW)
PIECES = (
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b"\t",
        b"=",
        b";",
        b":",
        b"<",
        b">",
        b'"',
        b"(",
        b"--b2",
        b"b2",
        b"b=",
        b"l=1; ",
    ),
    *(b"From: x@evil.example\r\n", b"Subject: Pay\r\n", b"To: x@evil.example\r\n", b"Content-Type: text/html\r\n"),
    *(b"Content-Transfer-Encoding: base64\r\n", b"i=2; ", b"cv=pass; ", b"ARC-Seal: i=1; ", b"l=1; "),
    *(b"text/html", b"utf-7"),
    *(b"DKIM-Signature: v=1; d=home.example; ", b"\r\n\r\n", b"multipart/digest", b"Date: now\r\n", b"\xff\xfe"),
)


@dataclass
class _Owner(FixedOwner):
    emails: frozenset[str] = frozenset({OWNER})


@cache
def harness() -> ModuleContext:
    return make_context(owner=_Owner())


@cache
def dns() -> Dns:
    return Dns({f"s1._domainkey.{name}": rsa_record() for name in ("home.example", FORWARDER)})


EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.one_of(st.sampled_from(PIECES), st.binary(max_size=6))),
    min_size=1,
    max_size=3,
)


def edited(raw: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    for where, length, piece in edits:
        at = int(where * len(raw))
        raw = raw[:at] + piece + raw[at + length :]
    return raw


def authority_of(raw: bytes) -> bool:
    found = judge(raw, Expected(OWNER, BUTLER, sealers=frozenset({FORWARDER})), NOW, dns())
    assert worded(found.reason).isprintable()
    return found.command


@pytest.mark.parametrize("proved", [MAIL, SEALED], ids=["signed", "sealed"])
async def test_as_it_is_it_commands(proved: bytes) -> None:
    assert authority_of(proved)


@pytest.mark.parametrize("proved", [MAIL, SEALED], ids=["signed", "sealed"])
@settings(max_examples=200, deadline=None)
@given(edits=EDITS)
async def test_what_was_changed_proves_nothing_or_is_the_same_mail_again(
    proved: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    raw = edited(proved, edits)
    if not authority_of(raw):
        return
    assert same_mail(raw) == same_mail(proved)
    known = BotMailboxSettings.model_validate({**SERVERS, "arc_sealers": [FORWARDER]})
    item = await item_of(raw, dns(), NOW, settings=known, context=harness())
    assert owners_words(item) in ([WORDS], [])


@settings(max_examples=150, deadline=None)
@given(raw=st.one_of(st.binary(max_size=400), EDITS.map(lambda edits: edited(MAIL, edits))))
def test_whatever_comes_is_answerable_or_not_and_never_an_error(raw: bytes) -> None:
    why = worded(why_never_answered(parse_mail(raw)[0], BUTLER))
    assert "\n" not in why
    assert len(same_mail(raw)) == 32
