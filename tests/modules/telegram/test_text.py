"""Texts as Telegram counts them."""

from hypothesis import given
from hypothesis import strategies as st

from butler.contract.card import Span, Style
from modules.telegram.inert import flatten
from modules.telegram.text import (
    CAPTION_LIMIT,
    ENTITY_LIMIT,
    MESSAGE_LIMIT,
    Entity,
    Part,
    join,
    shorten,
    split,
    utf16_len,
    utf16_slice,
)


def test_tb_04_parts_are_measured_in_utf16_units_and_join_to_the_original() -> None:
    text = "😀" * 5000

    parts = split(Part(text), 3996)

    assert all(utf16_len(part.text) <= 3996 for part in parts)
    assert "".join(part.text for part in parts) == text
    assert len(parts) == 3


def test_a_family_of_four_is_never_torn_apart() -> None:
    family = "👨‍👩‍👧‍👦"

    parts = split(Part(family * 800), 4096)

    assert all(part.text.count(family) * len(family) == len(part.text) for part in parts)


def test_a_flag_keeps_both_its_halves() -> None:
    parts = split(Part("🇩🇪" * 30), 10)

    assert {part.text for part in parts} == {"🇩🇪🇩🇪"}


def test_one_letter_with_more_accents_than_a_message_holds_still_ends() -> None:
    text = "a" + "\u0301" * 300

    parts = split(Part(text), 100)

    assert "".join(part.text for part in parts) == text
    assert all(utf16_len(part.text) <= 100 for part in parts)


def test_a_text_is_cut_after_a_line_where_one_is_near() -> None:
    first, second = split(Part("a" * 60 + "\n" + "b" * 60), 100)

    assert first.text == "a" * 60 + "\n"
    assert second.text == "b" * 60


def test_an_entity_over_a_cut_goes_on_in_the_next_part() -> None:
    bold = Entity(type="bold", offset=2, length=8)

    first, second = split(Part("abcdefghij", (bold,)), 5)

    assert first.entities == (Entity(type="bold", offset=2, length=3),)
    assert second.entities == (Entity(type="bold", offset=0, length=5),)


def test_the_first_part_may_be_a_caption() -> None:
    parts = split(Part("word " * 1200), MESSAGE_LIMIT, first=CAPTION_LIMIT)

    assert utf16_len(parts[0].text) <= CAPTION_LIMIT
    assert utf16_len(parts[1].text) > CAPTION_LIMIT


def test_no_part_has_more_entities_than_telegram_draws() -> None:
    spans = [Span(text="x", style=Style.BOLD), Span(text=" ")] * 250

    parts = split(flatten(tuple(spans)))

    assert [len(part.entities) for part in parts] == [ENTITY_LIMIT, ENTITY_LIMIT, 50]


def test_offsets_of_entities_count_utf16_units() -> None:
    part = flatten((Span(text="😀 "), Span(text="here", style=Style.LINK, url="https://a.example")))

    (link,) = part.entities
    assert (link.offset, link.length, link.url) == (3, 4, "https://a.example")
    assert utf16_slice(part.text, link.offset, link.length) == "here"


def test_a_shortened_text_says_that_it_goes_on() -> None:
    assert shorten(Part("short"), 10).text == "short"
    assert shorten(Part("a" * 20), 10).text == "a" * 9 + "…"


@given(
    st.text(alphabet=st.sampled_from("ab \n\r😀👨\u200d👩\u0301🇩🇪é"), max_size=200),
    st.integers(min_value=4, max_value=40),
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 50)), max_size=5),
)
def test_whatever_is_split_joins_again(text: str, limit: int, spans: list[tuple[int, int]]) -> None:
    length = utf16_len(text)
    entities = tuple(
        Entity(type="bold", offset=begin, length=min(size, length - begin)) for begin, size in spans if begin < length
    )

    parts = split(Part(text, entities), limit)

    assert join(parts).text == text
    assert all(0 < utf16_len(part.text) <= limit for part in parts)
    assert sum(e.length for part in parts for e in part.entities) == sum(e.length for e in entities)
    assert all(e.offset + e.length <= utf16_len(part.text) for part in parts for e in part.entities)
