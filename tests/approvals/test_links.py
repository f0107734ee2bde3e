"""Links: a reader sees where each one leads, whatever the text around it says."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approvals.hosts import real_host, remarks_on
from approvals.links import Link, links, shown_links
from butler.contract.card import Style, rich_text
from tests.approvals.harness import Harness
from tests.approvals.providers import MAIL
from tests.approvals.test_visible import ANY, HIDDEN

APPLE = ("reads as аррӏе.com", "mixes Cyrillic and Latin letters")


def hosts(text: str) -> list[str]:
    return [link.host for link in links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("See you at 10.30, e.g. in the U.S.A., for 3.50 or so... i.e. soon", []),
        ("invoice.pdf and node.js", []),
        ("https:// and www. and http:///", []),
        ("foo..bar and .example and -.-.com", []),
        ("https://evil.example", ["evil.example"]),
        ("HTTPS://Evil.EXAMPLE/Path?x#y", ["evil.example"]),
        ("(see https://evil.example/a), please", ["evil.example"]),
        ("https://evil.example, https://good.example.", ["evil.example", "good.example"]),
        ("<https://evil.example>", ["evil.example"]),
        ("www.evil.example", ["www.evil.example"]),
        ("go to evil.example now", ["evil.example"]),
        ("evil.example/invoice.pdf", ["evil.example"]),
        ("evil.example/file.name.html", ["evil.example"]),
        ("invoice.pdf/login", ["invoice.pdf"]),
        ("readme.md", ["readme.md"]),
        ("пример.испытание", ["xn--e1afmkfd.xn--80akhbyknj4f"]),
        ("1.2.3.4", ["1.2.3.4"]),
        ("anna@work.example", []),
        ("Is it anna@work.example? Or anna.smith@work.example.", []),
        ("<anna@work.example>, @work.example", []),
        ("anna@work.example/login", ["work.example"]),
        ("anna@work.example:8080", ["work.example:8080"]),
        ("mailto:anna@evil.example?cc=bob@good.example", ["anna@evil.example", "bob@good.example"]),
        ("mailto:Anna%40Evil.example", ["Anna@evil.example"]),
        ("mailto:@evil.example", ["@evil.example"]),
        ("mailto: nobody", []),
        ("bank.example@work.example", []),
        ("tg://resolve?domain=evil_bot", ["tg://resolve"]),
        ("tg:Resolve?domain=evil_bot", ["tg://resolve"]),
        ("tg 7", []),
        ("t.me/evil_bot", ["t.me"]),
        ("[your bank](https://evil.example/login)", ["evil.example"]),
        ("[https://bank.example/login](https://evil.example)", ["bank.example", "evil.example"]),
        ("[https://bank.example/login](evil.example)", ["bank.example", "evil.example"]),
        ("(https://bank.example),(evil.example)", ["bank.example", "evil.example"]),
        ("https://bank.example/?to=https://evil.example", ["bank.example", "evil.example"]),
        ("https://evil.example\\@bank.example", ["evil.example"]),
        ("https:\\\\evil.example", ["evil.example"]),
        ("https:////evil.example", ["evil.example"]),
        ("https:/evil.example https:evil.example", ["evil.example"]),
        ("https://evil.example:443 http://evil.example:80", ["evil.example"]),
        ("https://evil.example:8443", ["evil.example:8443"]),
        ("evil.example:8080", ["evil.example:8080"]),
        ("ftp://evil.example", ["ftp://evil.example"]),
        ("javascript://evil.example/%0aalert(1)", ["javascript://evil.example"]),
        ("http://[::1]:8025/", ["[::1]:8025"]),
        ("https://evil.example./", ["evil.example"]),
        ("https://a_b.example", ["a_b.example"]),
        ("(https://{evil.example}", ["evil.example"]),
    ],
)
def test_every_link_is_found_by_its_real_host(text: str, expected: list[str]) -> None:
    assert hosts(text) == expected


@pytest.mark.parametrize(
    ("text", "host", "remarks"),
    [
        ("https://bank.example@evil.example/x", "evil.example", ("“bank.example@” before it is no host",)),
        ("https://bank.example%2f@evil.example", "evil.example", ("“bank.example/@” before it is no host",)),
        ("https://b\u202e@evil.example", "evil.example", ("“b[U+202E]@” before it is no host",)),
        (f"https://{'a' * 50}@evil.example", "evil.example", (f"“{'a' * 40}…” before it is no host",)),
        ("https://аррӏе.com", "xn--80ak6aa92e.com", APPLE),
        ("https://xn--80ak6aa92e.com", "xn--80ak6aa92e.com", APPLE),
        ("https://münchen.example", "xn--mnchen-3ya.example", ("reads as münchen.example",)),
        ("https://ev\u200bil.example", "evil.example", ("written as ev[U+200B]il.example",)),
        ("https://ev\u00adil.example", "evil.example", ("written as ev[U+00AD]il.example",)),
        ("https://ｅvil。example/", "evil.example", ("written as ｅvil。example",)),
        ("https://%65vil.example", "evil.example", ("written as %65vil.example",)),
        ("http://2130706433/", "127.0.0.1", ("written as 2130706433",)),
        ("http://0x7f.1/", "127.0.0.1", ("written as 0x7f.1",)),
        ("http://0177.0.0.01/", "127.0.0.1", ("written as 0177.0.0.01",)),
        ("http://1.2.3.999/", "1.2.3.999", ()),
        ("http://1.2.3.4.5/", "1.2.3.4.5", ()),
        ("http://256.1/", "256.1", ()),
        ("http://09.1/", "09.1", ()),
        ("http://0x/", "0x", ()),
        ("https://i❤.ws", "xn--i-7iq.ws", ("reads as i❤.ws",)),
        ("https://xn--zzzzzz-.example", "xn--zzzzzz-.example", ("reads as zzzzzz.example",)),
        ("https://xn--99999999.example", "xn--99999999.example", ()),
        ("https://a%00b.example", "a[U+0000]b.example", ("written as a%00b.example",)),
        (f"https://{'a' * 300}", f"{'a' * 253}…", ("longer than any host may be",)),
        ("bank.example@evil.example/login", "evil.example", ("“bank.example@” before it is no host",)),
        ("anna@münchen.example", "anna@xn--mnchen-3ya.example", ("reads as münchen.example",)),
        ("anna@аррӏе.com", "anna@xn--80ak6aa92e.com", APPLE),
        ("an\u200bna@work.example", "an[U+200B]na@work.example", ("holds hidden characters",)),
        ("аnna@work.example", "аnna@work.example", ("mixes Cyrillic and Latin letters before the @",)),
        ("mailto:аnna@work.example", "аnna@work.example", ("mixes Cyrillic and Latin letters before the @",)),
    ],
)
def test_what_could_deceive_about_a_host_is_said(text: str, host: str, remarks: tuple[str, ...]) -> None:
    assert list(links(text)) == [Link(host, remarks, 1)]


def test_a_bracket_before_an_at_sign_leaves_two_readings_and_both_are_shown() -> None:
    assert hosts("https://bank.example(x)@evil.example") == ["evil.example", "bank.example"]
    assert hosts("https://(x)@evil.example") == ["evil.example"]


def test_each_host_stands_once_with_a_count_and_the_deceptive_ones_first() -> None:
    text = "good.example https://good.example/1 http://2130706433 http://127.0.0.1 Good.example"
    shown = shown_links(text, "good.example")
    assert rich_text(shown) == "127.0.0.1 ×2 – written as 2130706433\ngood.example ×4"
    assert [span.style for span in shown if "example" in span.text] == [Style.CODE]
    assert [span.style for span in shown if "written" in span.text] == [Style.BOLD]


async def test_a_card_lists_the_links_of_its_subject_and_body_and_none_where_there_is_none(harness: Harness) -> None:
    args = {"to": ["mail:a@x.example"], "subject": "evil.example", "text": "Pay at https://bank.example@evil.example"}
    await harness.ask(MAIL, args=args)
    fields = {label: rich_text(value) for label, value in harness.channel.newest.fields}
    assert fields["Links"] == "evil.example ×2 – “bank.example@” before it is no host"
    await harness.ask(MAIL, args={"to": ["mail:a@x.example"], "text": "See you"}, call_id="c2")
    assert "Links" not in dict(harness.channel.newest.fields)


@given(ANY, st.sampled_from(["https://", "http://u@", "www.", "mailto:x@", "", "tg:", "[x]("]), ANY)
def test_whatever_a_text_holds_its_links_hide_nothing(before: str, scheme: str, after: str) -> None:
    shown = rich_text(shown_links(f"{before}{scheme}{after}"))
    # Digits and parts of emoji stay: the test checks that nothing invisible does.
    assert not set(shown.replace("\n", "")) & set(HIDDEN), ascii(shown)


@given(st.text(st.characters(codec="ascii")) | ANY, st.sampled_from(["", "xn--", "0x"]))
def test_a_host_is_always_ascii_and_takes_any_text(text: str, front: str) -> None:
    assert real_host(f"{front}{text[:253]}").isascii()
    assert isinstance(remarks_on(f"{front}{text[:253]}"), tuple)


@pytest.mark.parametrize("unit", ["a.", "a@", "https://x", "a+", "1.1.", "http:/", "MAILTO:", "%40", "é.", "](", "tg:"])
def test_a_hostile_text_takes_no_longer_than_its_length(unit: str) -> None:
    began = time.process_time()
    links(unit * (60_000 // len(unit)))
    assert time.process_time() - began < 2
