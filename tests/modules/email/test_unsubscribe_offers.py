"""When a mail offers to be unsubscribed from by one request: only where its sender's own signature says so."""

from datetime import timedelta
from typing import Any

import pytest

from butler.contract.errors import Refuse
from modules.email.authentication.dns_txt import DnsUnavailableError
from modules.email.one_click import NOT_OFFERED, Offer, offer_of
from tests.modules.email.list_server import COVERED, newsletter
from tests.support.corpora import MAILS
from tests.support.signing import SIGNED, Dns, now, rsa_record, signed

URL = "https://lists.shop.example/u/42?t=a%2Fb"
DNS = Dns.of("shop.example")


def refusal(raw: bytes, dns: Dns = DNS) -> str:
    with pytest.raises(Refuse) as refused:
        offer_of(raw, dns)
    return refused.value.detail


def test_a_signed_offer_counts() -> None:
    assert offer_of(newsletter(URL), DNS) == Offer(URL, "shop.example")


def test_a_mail_of_last_month_can_still_be_unsubscribed_from() -> None:
    old = now() - timedelta(days=31)
    raw = newsletter(URL, sign=False)
    assert offer_of(signed(raw, old, domain="shop.example", headers=COVERED), DNS).url == URL


def test_an_address_that_was_folded_is_one_address() -> None:
    folded = newsletter(URL, List_Unsubscribe=f"<mailto:x@shop.example>,\r\n <{URL[:30]}\r\n {URL[30:]}>")
    assert offer_of(folded, DNS).url == URL


@pytest.mark.parametrize(
    "changes",
    [
        {"List_Unsubscribe": ""},
        {"List_Unsubscribe_Post": ""},
        {"List_Unsubscribe_Post": "List-Unsubscribe=Two-Clicks"},
        {"List_Unsubscribe": "<mailto:leave@shop.example>"},
        {"List_Unsubscribe": "<http://lists.shop.example/u>"},
        {"List_Unsubscribe": URL},
        {"List_Unsubscribe": f"<https://{'a' * 5000}.example>"},
        {"X": "y\r\nList-Unsubscribe: <https://evil.example/>"},
        {"X": "y\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"},
    ],
)
def test_what_is_not_exactly_one_offer_of_one_click_is_none(changes: dict[str, Any]) -> None:
    assert refusal(newsletter(URL, **changes)) == NOT_OFFERED


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (newsletter(URL, sign=False), "nothing of shop.example signs it"),
        (newsletter(URL, headers=SIGNED), "does not cover List-Unsubscribe and List-Unsubscribe-Post"),
        (newsletter(URL, headers=(*SIGNED, "list-unsubscribe")), "does not cover List-Unsubscribe-Post"),
        (newsletter(URL, domain="evil.example"), "nothing of shop.example signs it"),
        (newsletter(URL, domain="lists.shop.example"), "nothing of shop.example signs it"),
        (newsletter(URL, domain="example"), "nothing of shop.example signs it"),
        (newsletter(URL).replace(b"/u/42", b"/u/43"), "is not right"),
        (newsletter(URL).replace(b"Buy now", b"Buy later"), "is not right"),
    ],
)
def test_an_offer_that_the_sender_did_not_sign_is_not_used(raw: bytes, why: str) -> None:
    everybody = Dns({f"s1._domainkey.{domain}": rsa_record() for domain in ("shop.example", "evil.example", "example")})
    said = refusal(raw, everybody)
    assert why in said
    assert said.startswith("it is not sure that the sender wrote the unsubscribe link")
    assert said.endswith("open the mail and use its link, if you trust it")


def test_a_signature_that_leaves_the_end_open_or_whose_key_is_gone_does_not_count() -> None:
    raw = newsletter(URL, sign=False)
    open_end = signed(raw, now(), domain="shop.example", headers=COVERED, length=True)
    assert "leaves the end of the text open" in refusal(open_end)
    assert "too old to be checked" in refusal(newsletter(URL), Dns())
    assert "is not right" in refusal(newsletter(URL), Dns({"s1._domainkey.shop.example": rsa_record("t=y; ")}))


def test_the_domain_above_may_sign_for_the_one_that_writes() -> None:
    raw = newsletter(URL, From="news@mail.shop.example")
    assert offer_of(raw, DNS).domain == "shop.example"


@pytest.mark.parametrize(
    "sender", ["", "a@shop.example, b@shop.example", "nobody", "a@shop.example\r\nFrom: b@c.example"]
)
def test_whoever_sent_it_has_to_be_one(sender: str) -> None:
    assert refusal(newsletter(URL, From=sender)).startswith("it is not clear who sent this mail")


def test_dns_that_does_not_answer_is_no_refusal() -> None:
    with pytest.raises(DnsUnavailableError):
        offer_of(newsletter(URL), Dns(down=DnsUnavailableError()))


def test_addresses_of_the_machine_itself_are_no_offer() -> None:
    raw = (MAILS / "msg" / "unsubscribe_http_private_ip.eml").read_bytes()
    assert refusal(raw, Dns.of("shop.example")) == NOT_OFFERED
