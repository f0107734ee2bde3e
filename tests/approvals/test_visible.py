"""Characters that hide or mislead are shown; everything else stays as it is."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approvals.address import shown_address
from approvals.visible import visible, visible_address, visible_line

MARK = re.compile(r"\[U\+([0-9A-F]{4,6})\]")
HIDDEN = (
    "\u202e\u2066\u2069\u200b\u200d\u2060\ufeff\u00ad\u034f\u3164\u2800"
    "\u115f\ufe0f\U000e0041\U000e0100\u0000\u001b\u2028"
)
ANY = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(HIDDEN + "\r\n ❤👩🏽👨1#\u20e3بिक्")))


def unmark(text: str) -> str:
    return MARK.sub(lambda match: chr(int(match[1], 16)), text)


@given(ANY.filter(lambda text: "[U+" not in text))
def test_taking_the_marks_out_gives_the_stored_text_again(text: str) -> None:
    assert unmark(visible(text)) == unmark(visible_line(text)) == unmark(visible_address(text)) == text


@given(ANY)
def test_nothing_invisible_is_left_but_line_ends_and_joiners_in_their_place(text: str) -> None:
    shown = visible(text)
    for place, character in enumerate(shown):
        if unicodedata.category(character) in {"Cc", "Cf", "Co", "Zl", "Zp"} or character in HIDDEN:
            joiner = character in "\u200c\u200d\ufe0f" and place > 0 and ord(shown[place - 1]) > 0x22
            assert character in "\n\t" or joiner or shown[place : place + 2] == "\r\n", ascii(shown)


@given(ANY)
def test_an_address_and_a_line_hide_nothing_at_all(text: str) -> None:
    assert not set(visible_address(text)) & set(HIDDEN + "\n\r\t\u00a0 ")
    assert not set(visible_line(text)) & set("\n\r\t\u202e")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("invoice\u202efdp.exe", "invoice[U+202E]fdp.exe"),
        ("pay\u200bpal", "pay[U+200B]pal"),
        ("a\u200db", "a[U+200D]b"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("\ufe0fx\ufe0f", "[U+FE0F]x[U+FE0F]"),
        ("ب\u200c\u200cب", "ب[U+200C][U+200C]ب"),
        ("a\rb", "a[U+000D]b"),
        ("blank\u2800\u3164", "blank[U+2800][U+3164]"),
    ],
)
def test_what_hides_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["👨‍👩‍👧 ❤️ 1️⃣ 👍🏽", "می‌خواهم", "क्‍ष", "a\r\nb\n\tc", "Objet\u00a0: déjà", "[U+202E]"])
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_a_subject_cannot_pass_for_the_line_after_it() -> None:
    assert visible_line("hi\r\nTo: Anna\n👩‍👧") == "hi[U+000D][U+000A]To: Anna[U+000A]👩‍👧"


def test_a_name_cannot_push_its_end_out_of_sight() -> None:
    assert visible_line(f"invoice.pdf{' ' * 9}.exe") == f"invoice.pdf{'[U+0020]' * 9}.exe"
    assert visible_line(f"a{' ' * 8}b") == f"a{' ' * 8}b"


@pytest.mark.parametrize(
    ("address", "shown", "remarks"),
    [
        ("telegram:1002", "Telegram 1002", ""),
        ("mail:anna@friends.example", "anna@friends.example", ""),
        ("mail:anna@münchen.example", "anna@münchen.example", "the domain is xn--mnchen-3ya.example"),
        ("mail:a@xn--mnchen-3ya.example", "a@xn--mnchen-3ya.example", "the domain reads as münchen.example"),
        (
            "mail:a@xn--80ak6aa92e.com",
            "a@xn--80ak6aa92e.com",
            "the domain reads as аррӏе.com; mixes Cyrillic and Latin letters",
        ),
        ("mail:аnna@x.example", "аnna@x.example", "mixes Cyrillic and Latin letters"),
        ("telegram:@анна", "@анна", "Cyrillic letters"),
        ("mail:a\u200b@x.example", "a[U+200B]@x.example", ""),
        ("mail:a@-ü-.example", "a@-ü-.example", "the domain is not a valid one"),
        ("mail:a@xn--zzzzzz-.example", "a@xn--zzzzzz-.example", "the domain is not a valid one"),
    ],
)
def test_an_address_is_shown_as_it_is_with_what_could_deceive_about_it(address: str, shown: str, remarks: str) -> None:
    assert shown_address(address) == (shown, remarks)
