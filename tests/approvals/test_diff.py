"""A card shows a change completely, without hidden characters."""

import time

from hypothesis import given
from hypothesis import strategies as st

from approvals.diff import LONGEST, MOST_WORDS, Kind, Piece, difference, shown
from approvals.visible import visible
from butler.contract.card import Style, rich_text

WORDS = st.lists(
    st.sampled_from(("ten", "minutes", " ", "  ", "\n", ".", ",", "late", "\u202e", "é", "👍🏽")), max_size=40
).map("".join)
TEXTS = WORDS | st.text(max_size=80)


def made_up(pieces: tuple[Piece, ...], *kinds: Kind) -> str:
    return "".join(piece.text for piece in pieces if piece.kind in kinds)


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_the_old_text_and_the_new_one(old: str, new: str) -> None:
    pieces = difference(old, new)
    assert made_up(pieces, Kind.KEPT, Kind.REMOVED) == old
    assert made_up(pieces, Kind.KEPT, Kind.ADDED) == new


@given(TEXTS, TEXTS)
def test_what_went_and_what_came_is_shown_whole_with_nothing_hidden(old: str, new: str) -> None:
    pieces = difference(old, new)
    for piece, span in zip(pieces, shown(pieces), strict=True):
        assert span.text == visible(span.text)
        if piece.kind is not Kind.KEPT and not piece.text.isspace():
            assert span.text == visible(piece.text)


def test_one_word_for_another_is_struck_and_underlined() -> None:
    spans = shown(difference("I'll be ten minutes late", "I'll be twenty minutes late"))
    assert [(span.text, span.style) for span in spans] == [
        ("I'll be ", Style.PLAIN),
        ("ten", Style.STRIKE),
        ("twenty", Style.UNDERLINE),
        (" minutes late", Style.PLAIN),
    ]


def test_changes_with_a_blank_between_them_are_read_as_one() -> None:
    pieces = difference("at nine tomorrow, Bob", "on Monday evening, Bob")
    assert [(piece.kind, piece.text) for piece in pieces] == [
        (Kind.REMOVED, "at nine tomorrow"),
        (Kind.ADDED, "on Monday evening"),
        (Kind.KEPT, ", Bob"),
    ]


def test_long_runs_that_stay_are_shortened() -> None:
    one, two, three = (" ".join(f"{letter}{n}" for n in range(40)) for letter in "abc")
    text = rich_text(shown(difference(f"{one} ten {two} twelve {three}", f"{one} eleven {two} thirteen {three}")))
    assert text.startswith("…")
    assert "a39 teneleven b0 b1" in text
    assert "b39 twelvethirteen c0 c1" in text
    assert text.count("…") == 3
    assert len(text) < 200


def test_a_change_of_blanks_can_be_seen() -> None:
    assert rich_text(shown(difference("a b", "a\n\tb"))) == "a␣⏎⇥b"


def test_hidden_signs_are_made_visible() -> None:
    assert rich_text(shown(difference("pay Bob", "pay \u202eBob"))) == "pay Bob[U+202E]Bob"


def test_a_very_long_piece_is_cut_because_the_card_shows_the_new_text_beside_it() -> None:
    spans = shown(difference("x" * 2_000, "y"))
    assert spans[0].text == f"{'x' * LONGEST}…"


def test_texts_that_differ_too_much_are_replaced_whole_and_soon() -> None:
    old, new = " ".join(map(str, range(MOST_WORDS))), " ".join(map(str, range(MOST_WORDS, 0, -1)))
    begun = time.monotonic()
    assert [piece.kind for piece in difference(old, new)] == [Kind.REMOVED, Kind.ADDED]
    difference("a b " * 299 + "x", "y " + "b a " * 299)
    difference("a " * 100_000 + "x", "b " * 100_000)
    assert time.monotonic() - begun < 5


def test_equal_texts_differ_in_nothing() -> None:
    assert difference("same", "same") == (Piece(Kind.KEPT, "same"),)
    assert difference("", "") == ()
