"""Seals of forwarders: a mail whose signature broke on the way, and whose word on it counts."""

import json
from datetime import datetime, timedelta

import pytest

from modules.email.authentication.authority import Authority, Expected, judge
from modules.email.authentication.dns_txt import DnsUnavailableError
from tests.support.corpora import SIGNED_MAILS
from tests.support.sealing import FORWARDER, Sealing, sealed
from tests.support.signing import BUTLER, OWNER, Dns, letter, now, rsa_record, signed
from tests.support.worded import worded

NOW = now()
OTHER = "list.example"
EXPECTED = Expected(OWNER, BUTLER, sealers=frozenset({FORWARDER}))
BOTH = Expected(OWNER, BUTLER, sealers=frozenset({FORWARDER, OTHER}))
NOTHING_FOUND = "dkim=fail header.d=home.example; arc=pass"


def dns() -> Dns:
    names = ("home.example", FORWARDER, OTHER, "evil.example")
    return Dns({f"s1._domainkey.{name}": rsa_record() for name in names})


def forwarded(**headers: str) -> bytes:
    """A mail that the owner signed and a forwarder changed: its signature is broken."""
    raw = signed(letter(NOW, **headers), NOW)
    return raw.replace(b"Subject: ", b"Subject: [team] ")


def found(raw: bytes, expected: Expected = EXPECTED, at: datetime = NOW) -> Authority:
    return judge(raw, expected, at, dns())


def reason(raw: bytes, expected: Expected = EXPECTED) -> str:
    """Why it may not command; fails when it may."""
    verdict = found(raw, expected)
    assert not verdict.command, verdict
    return worded(verdict.reason)


def test_what_a_forwarder_of_the_settings_found_counts() -> None:
    verdict = found(sealed(forwarded(), NOW))
    assert verdict.command
    assert verdict.sealed_by == FORWARDER
    assert worded(verdict.reason) == "it was signed by home.example, as fwd.example found, which forwarded it"


def test_nobodys_seal_counts_where_the_settings_name_no_forwarder() -> None:
    asked = dns()
    verdict = judge(sealed(forwarded(), NOW), Expected(OWNER, BUTLER), NOW, asked)
    assert (verdict.command, worded(verdict.reason)) == (False, "its signature of home.example is not right")
    assert asked.asked == ["s1._domainkey.home.example."]


def test_a_mail_whose_own_signature_holds_needs_no_seal() -> None:
    verdict = found(sealed(signed(letter(NOW), NOW), NOW, domain="evil.example"))
    assert verdict.command
    assert verdict.sealed_by == ""


def test_a_seal_of_anybody_else_is_not_even_looked_up() -> None:
    asked = dns()
    verdict = judge(sealed(forwarded(), NOW, domain="evil.example"), EXPECTED, NOW, asked)
    assert "evil.example, which arc_sealers in the settings does not name" in worded(verdict.reason)
    assert not verdict.command
    assert "s1._domainkey.evil.example." not in asked.asked


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("spf=pass smtp.mailfrom=home.example", "nobody who forwarded it found a signature of home.example right"),
        ("dkim=fail header.d=home.example", "nobody who forwarded it found"),
        ("dkim=pass header.d=evil.example; dmarc=pass header.from=home.example", "nobody who forwarded it found"),
        ("dkim=pass header.d=mail.home.example", "nobody who forwarded it found"),
        ("dkim=pass (of header.d=home.example) header.d=evil.example", "nobody who forwarded it found"),
        ("none", "nobody who forwarded it found"),
    ],
)
def test_a_forwarder_has_to_have_found_the_owners_own_signature(said: str, why: str) -> None:
    assert why in reason(sealed(forwarded(), NOW, said=said))


@pytest.mark.parametrize("left_out", ["to", "subject", "date", "message-id"])
def test_a_seal_has_to_cover_what_a_signature_has_to(left_out: str) -> None:
    covered = tuple(name for name in ("from", "to", "subject", "date", "message-id") if name != left_out)
    assert f"the seal of {FORWARDER} does not cover" in reason(sealed(forwarded(), NOW, covered=covered))


@pytest.mark.parametrize(
    ("sealing", "why"),
    [
        (Sealing(message=(("l", "10"),)), "leaves the end of the text open"),
        (Sealing(message=(("t", str(int((NOW - timedelta(days=3)).timestamp()))),)), "not signed within"),
        (Sealing(seal=(("t", str(int((NOW - timedelta(days=3)).timestamp()))),)), "not signed within"),
        (Sealing(cv="fail"), "seals of those who forwarded it are not right"),
        (Sealing(cv="pass"), "seals of those who forwarded it are not right"),
        (Sealing(instance=2, cv="pass"), "seals of those who forwarded it are not right"),
        (Sealing(seal=(("h", "from"),)), "seals of those who forwarded it are not right"),
        (Sealing(seal=(("d", OTHER),)), "which arc_sealers in the settings does not name"),
        (Sealing(message=(("d", OTHER),)), "seals of those who forwarded it are not right"),
        (Sealing(message=(("a", "rsa-sha1"),)), "seals of those who forwarded it are not right"),
        (Sealing(message=(("s", "unknown"),)), f"it is not as {FORWARDER} forwarded it"),
        (Sealing(seal=(("s", "unknown"),)), "seals of those who forwarded it are not right"),
        (Sealing(covered=("from", "to", "subject", "date", "message-id", "arc-seal")), "it is not as"),
    ],
)
def test_a_seal_that_says_less_than_it_should_is_none(sealing: Sealing, why: str) -> None:
    assert why in reason(sealed(forwarded(), NOW, sealing))


@pytest.mark.parametrize(
    ("was", "now_is"),
    [
        (b"tomorrow", b"today and pay"),
        (b"Subject: [team]", b"Subject: [urgent]"),
        (b"header.d=home.example", b"header.d=HOME.example"),
        (b"dmarc=pass", b"dmarc=fail"),
        (b"cv=none", b"cv=none; y=1"),
    ],
)
def test_what_was_changed_after_sealing_is_found(was: bytes, now_is: bytes) -> None:
    raw = sealed(forwarded(), NOW)
    assert was in raw
    why = reason(raw.replace(was, now_is))
    assert "it is not as fwd.example forwarded it" in why or "seals of those who forwarded it are not right" in why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"ARC-Authentication-Results: i=1; fwd.example; dkim=pass header.d=home.example", "seals"),
        (b"ARC-Authentication-Results: i=2; fwd.example; dkim=pass header.d=home.example", "seals"),
        (b"ARC-Authentication-Results: fwd.example; dkim=pass header.d=home.example", "seals"),
        (b"ARC-Seal: i=1; cv=none; a=rsa-sha256; d=fwd.example; s=s1; b=AAAA", "seals"),
        (b"ARC-Seal: nothing", "seals"),
        (b"ARC-Seal: i=1; i=2; cv=none; a=rsa-sha256; d=fwd.example; s=s1; b=AAAA", "seals"),
        (b"ARC-Message-Signature: i=1;" + b" " * 9_000, "seals"),
        (f"From: {OWNER}".encode(), "does not name you alone"),
        (b"From: x@evil.example", "does not name you alone"),
        (b"Subject: another", "more than one Subject"),
        (b"Content-Type: text/html", "more than one Content-Type"),
    ],
)
def test_nothing_can_be_put_before_a_sealed_mail(line: bytes, why: str) -> None:
    assert why in reason(line + b"\r\n" + sealed(forwarded(), NOW))


def test_findings_that_were_slipped_in_are_not_the_forwarders() -> None:
    raw = sealed(forwarded(), NOW, said="dkim=none")
    assert "seals" in reason(raw.replace(b"dkim=none", b"dkim=pass header.d=home.example"))


def test_a_seal_for_a_mail_that_nobody_signed_is_not_enough() -> None:
    # What the signature covered can be seen from it, even when it is broken; without it nobody knows.
    assert "it has no signature of home.example" in reason(sealed(letter(NOW), NOW))
    weak = signed(letter(NOW), NOW, headers=("from", "date", "message-id")).replace(b"tomorrow", b"today")
    assert "does not cover To and Subject" in reason(sealed(weak, NOW))
    open_ended = signed(letter(NOW), NOW, length=True) + b"PS\r\n"
    assert "leaves the end" in reason(sealed(open_ended, NOW))


def test_a_sealed_mail_has_to_be_for_the_butler_and_fresh_like_any_other() -> None:
    assert "not addressed" in reason(sealed(forwarded(To="friend@elsewhere.example"), NOW))
    assert "not written within" in worded(found(sealed(forwarded(), NOW), at=NOW + timedelta(days=3)).reason)
    assert "does not name you alone" in reason(sealed(forwarded(From="Carol <carol@home.example>"), NOW))


def test_a_key_that_is_only_tested_seals_nothing() -> None:
    records = dns()
    records.records[f"s1._domainkey.{FORWARDER}"] = rsa_record("t=y; ")
    assert not judge(sealed(forwarded(), NOW), EXPECTED, NOW, records).command


def test_dns_that_does_not_answer_for_the_forwarder_is_no_verdict() -> None:
    class Half(Dns):
        def __call__(self, name: str) -> bytes | None:
            if FORWARDER in name:
                raise DnsUnavailableError
            return super().__call__(name)

    with pytest.raises(DnsUnavailableError):
        judge(sealed(forwarded(), NOW), EXPECTED, NOW, Half(dns().records))


# Several forwarders


def test_a_chain_counts_where_all_since_the_one_who_found_it_are_of_the_settings() -> None:
    chain = sealed(sealed(forwarded(), NOW), NOW, domain=OTHER, said=NOTHING_FOUND)
    assert found(chain, BOTH).sealed_by == FORWARDER
    assert OTHER in reason(chain)
    assert FORWARDER in reason(chain, Expected(OWNER, BUTLER, sealers=frozenset({OTHER})))


def test_who_sealed_it_before_the_one_who_found_it_does_not_matter() -> None:
    chain = sealed(sealed(forwarded(), NOW, domain="evil.example", said="none"), NOW)
    assert found(chain).sealed_by == FORWARDER


def test_an_earlier_lie_does_not_count_through_an_honest_forwarder() -> None:
    chain = sealed(sealed(forwarded(), NOW, domain="evil.example"), NOW, said=NOTHING_FOUND)
    assert "evil.example" in reason(chain)


def test_what_a_forwarder_changed_after_the_one_who_found_it_breaks_the_chain() -> None:
    first = sealed(forwarded(), NOW)
    again = sealed(first.replace(b"tomorrow", b"today"), NOW, domain=OTHER, said=NOTHING_FOUND)
    assert f"it is not as {FORWARDER} forwarded it" in reason(again, BOTH)


def test_a_chain_whose_earlier_seal_is_broken_is_none() -> None:
    lying = sealed(forwarded(), NOW, domain="evil.example", said="none").replace(
        b"evil.example; none", b"evil.example; x=1"
    )
    assert "seals" in reason(sealed(lying, NOW))


@pytest.mark.parametrize("number", [1, 2])
def test_a_gap_in_a_chain_is_found(number: int) -> None:
    chain = sealed(sealed(sealed(forwarded(), NOW), NOW, domain=OTHER), NOW)
    lines = chain.split(b"\r\n")
    gap = [line for line in lines if not (line.startswith(b"ARC-") and b" i=%d;" % number in line)]
    assert len(gap) == len(lines) - 3
    assert "seals" in reason(b"\r\n".join(gap), BOTH)


def test_a_seal_without_its_other_lines_is_none() -> None:
    lines = sealed(forwarded(), NOW).split(b"\r\n")
    for left_out in range(3):
        assert "seals" in reason(b"\r\n".join(line for at, line in enumerate(lines) if at != left_out))


def test_a_chain_that_says_it_broke_is_none() -> None:
    chain = sealed(sealed(forwarded(), NOW), NOW, domain=OTHER, cv="fail")
    assert "seals" in reason(chain, BOTH)


def test_a_chain_without_end_is_not_followed() -> None:
    raw = forwarded()
    for _ in range(12):
        raw = sealed(raw, NOW)
    assert "seals" in reason(raw)


# The collected mails


@pytest.mark.parametrize(("name", "trusted"), [("arc_valid_trusted_forwarder", True), ("arc_untrusted_sealer", False)])
def test_the_collected_seals_are_right(name: str, trusted: bool) -> None:
    world = json.loads((SIGNED_MAILS / "dns.json").read_text())
    records = Dns({name: text.encode() for name, text in world["txt"].items()})
    expected = Expected(world["owner"], world["butler"], sealers=frozenset(world["trusted_arc_sealers"]))
    raw = (SIGNED_MAILS / "msg" / f"{name}.eml").read_bytes()
    verdict = judge(raw, expected, datetime.fromisoformat(world["frozen_now"]), records)
    assert verdict.command is trusted
    assert verdict.sealed_by == ("fwd.example" if trusted else "")
