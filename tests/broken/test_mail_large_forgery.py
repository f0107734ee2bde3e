# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# dkimpy has no annotations.
"""A large mail that bears the owner's address and forged signatures takes no more memory than a few of its kind."""

import tracemalloc

import dkim.canonicalization as standard
from hypothesis import given
from hypothesis import strategies as st

from modules.email.authentication.authority import Expected, judge
from modules.email.authentication.body_form import why_open
from modules.email.authentication.signatures import LONGEST_HEADER as LONGEST_SIGNED
from modules.email.authentication.signatures import MUST_BE_SIGNED, SignedMail, canonical
from modules.email.inbound import LONGEST_HEADER, same_mail
from tests.support.signing import BUTLER, OWNER, Dns, letter, now
from tests.support.worded import worded

NOW = now()
SIZE = 3 * 2**20
FORGED = (
    b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=home.example; s=s1;"
    b" h=from:to:subject:date:message-id:content-type:content-transfer-encoding; bh=AAAA; b=AAAA\r\n"
)


def test_a_forged_mail_of_many_short_lines_is_judged_in_little_memory() -> None:
    raw = FORGED * 6 + letter(NOW, "TEXT").replace(b"TEXT\r\n", b"a b\n" * (SIZE // 4))
    tracemalloc.start()
    try:
        found = judge(raw, Expected(OWNER, BUTLER), NOW, Dns.of())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert worded(found.reason) == "its signature of home.example is not right"
    assert most < 8 * SIZE


def test_how_a_large_text_is_to_be_read_is_found_in_little_memory() -> None:
    raw = letter(NOW, "TEXT").replace(b"TEXT\r\n", b"a b\n" * (SIZE // 4))
    mail = SignedMail.of(raw)
    tracemalloc.start()
    try:
        assert why_open(mail, MUST_BE_SIGNED) is None
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * SIZE


def test_a_mail_of_many_header_lines_is_known_again_in_little_memory() -> None:
    head = b"From: x@evil.example\r\n" + b"X: a\r\n" * (SIZE // 6)
    tracemalloc.start()
    try:
        known = same_mail(head + b"\r\nHi")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * SIZE
    assert known == same_mail(head + b"\r\n Hi \r\n") != same_mail(head + b"\r\nHo")


def test_no_header_that_is_too_long_to_be_told_apart_may_command() -> None:
    assert LONGEST_HEADER == LONGEST_SIGNED


@given(body=st.lists(st.sampled_from([b"a", b" ", b"\t", b"\r\n", b"\n", b"\r", b".", b"  "])).map(b"".join))
def test_a_text_is_signed_in_the_form_that_the_standard_gives_it(body: bytes) -> None:
    lines = body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    for relaxed, form in ((True, standard.Relaxed), (False, standard.Simple)):
        found = canonical(body, relaxed=relaxed)
        done = standard.Simple.canonicalize_body(found) if found else form.canonicalize_body(found)
        assert done == form.canonicalize_body(lines)
