"""A document is cut along its structure, into pieces that a question can find."""

import time

from hypothesis import given
from hypothesis import strategies as st

from butler.agents.parser import chunks as chunks_module
from butler.agents.parser.blocks import Block, Document, Kind
from butler.agents.parser.chunks import chunks_of, words_in

DIGEST = "d" * 64


def cut(*blocks):
    return chunks_of(Document(list(blocks)), DIGEST)


def words(count, word="word"):
    return " ".join(f"{word}{number}." for number in range(count))


def test_paragraphs_gather_until_there_are_enough_and_a_long_one_is_cut_after_a_sentence():
    paragraphs = [Block(Kind.TEXT, words(90)) for _ in range(7)]
    sizes = [words_in(one["content"]) for one in cut(*paragraphs, Block(Kind.TEXT, words(900)))]
    assert all(size <= 350 for size in sizes)
    assert len(sizes) < 10
    assert cut(Block(Kind.TEXT, words(900)))[0]["content"].endswith(".")


def test_a_piece_never_reaches_over_a_heading_or_a_page():
    found = cut(
        Block(Kind.HEADING, "A", 1, 1),
        Block(Kind.TEXT, "one", 1),
        Block(Kind.TEXT, "two", 2, box=(0, 0, 1, 1)),
        Block(Kind.HEADING, "B", 2, 2),
        Block(Kind.HEADING, "C", 2, 2),
        Block(Kind.TEXT, "three", 3),
    )
    assert [(one["content"], one["headings"], one["page_number"]) for one in found] == [
        ("# A\n\none", ["A"], 1),
        ("two", ["A"], 2),
        ("## B", ["A", "B"], 2),
        ("## C\n\nthree", ["A", "C"], 3),
    ]
    assert found[1]["bbox"] == [0, 0, 1, 1]
    assert found[2]["layout_type"] == "header"


def test_ids_are_of_the_document_and_the_place_so_that_they_are_the_same_again():
    found = cut(Block(Kind.TEXT, "a"), Block(Kind.NOTES, "b"), Block(Kind.TEXT, "c"))
    assert [one["chunk_id"] for one in found] == [f"{'d' * 32}-{at}" for at in range(3)]
    assert [one["chunk_index"] for one in found] == [0, 1, 2]


def test_a_text_without_blanks_is_cut_too():
    found = cut(Block(Kind.TEXT, "汉" * 20_000))
    assert len(found) > 5
    assert sum(len(one["content"]) for one in found) == 20_000


def test_a_document_of_too_many_pieces_loses_its_end_and_says_so(monkeypatch):
    monkeypatch.setattr(chunks_module, "MOST_CHUNKS", 2)
    document = Document([Block(Kind.NOTES, str(number)) for number in range(3)])
    assert len(chunks_of(document, DIGEST)) == 2
    assert document.problems == ["It is very long: only its first 2 pieces were read."]


@given(
    st.lists(
        st.builds(
            Block,
            st.sampled_from([Kind.TEXT, Kind.LIST, Kind.HEADING, Kind.NOTES, Kind.IMAGE, Kind.CODE]),
            st.text("abc .\n", min_size=1).filter(str.strip),
            st.integers(1, 3),
            st.integers(1, 4),
        ),
        max_size=12,
    )
)
def test_no_word_is_lost_or_doubled(blocks):
    said = "".join("".join(one["content"] for one in cut(*blocks)).replace("#", "").split())
    assert said == "".join("".join(block.text.split()) for block in blocks)


def test_one_word_of_many_millions_of_letters_is_cut_in_a_time_that_grows_with_it_only():
    began = time.process_time()
    assert len(cut(Block(Kind.TEXT, "x" * 15_000_000))) == chunks_module.MOST_CHUNKS
    assert time.process_time() - began < 20


def test_all_pieces_together_are_bounded_and_what_is_left_out_is_told(monkeypatch):
    monkeypatch.setattr(chunks_module, "MOST_TEXT", 5_000)
    document = Document([Block(Kind.TEXT, words(5_000))])
    assert 3_000 < sum(len(chunk["content"]) for chunk in chunks_of(document, DIGEST)) <= 5_000
    assert document.problems == ["It is very long: only its first 2 pieces were read."]


def test_a_header_that_is_longer_than_a_piece_is_given_once():
    header = tuple(f"column {number} {'x' * 50}" for number in range(400))
    rows = tuple((f"row {number}", *["1"] * 50) for number in range(200))
    chunks = cut(Block(Kind.TABLE, rows=(header, *rows)))
    assert sum("column 399" in chunk["content"] for chunk in chunks) == 1
    assert all(sum(f"| row {number} |" in chunk["content"] for chunk in chunks) == 1 for number in range(200))


def test_one_long_row_does_not_make_very_many_short_ones_long():
    rows = (("a",) * 500, *[("b",)] * 20_000)
    assert sum(len(chunk["content"]) for chunk in cut(Block(Kind.TABLE, rows=rows))) < 1_000_000
