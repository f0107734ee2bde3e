"""PDF files: pages, tables with their places, passwords, comments, and what nobody sees."""

import io

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import FreeText

from butler.agents.parser import read_pdf
from butler.agents.parser.pdf_lines import Lines
from butler_demo.small_pdf import one_page
from tests.agents.parser.conftest import whole
from tests.agents.parser.files import line, locked, pdf, turned


def test_text_has_its_page_and_its_place_in_points_from_the_upper_left_corner(reading):
    output = reading(pdf(line("The rent is 900 EUR.", 700), line("Pay by Friday.", 100)), "pdf")
    assert (output.total_pages, output.problems) == (2, [])
    text = next(chunk for chunk in output.chunks if "Friday" in chunk.content)
    left, top, right, bottom = text.bbox or [0, 0, 0, 0]
    assert abs(left - 60) < 2
    assert 720 < top < bottom < 760
    assert right > left
    assert len(output.document_id) == 64


def _ruled(rows, left=60, top=700):
    drawing, across = [], [left + 110 * at for at in range(len(rows[0]) + 1)]
    for at, row in enumerate(rows):
        drawing += [line(cell, top - 20 * at, x=across[n] + 4) for n, cell in enumerate(row)]
    heights = [top + 15 - 20 * at for at in range(len(rows) + 1)]
    drawing += [f"{across[0]} {height} m {across[-1]} {height} l S" for height in heights]
    drawing += [f"{x} {heights[0]} m {x} {heights[-1]} l S" for x in across]
    return "\n".join(drawing)


def test_a_ruled_table_comes_as_markdown_with_its_place(reading):
    rows = [["Item", "Price", "Sum"], ["Rent", "900", "900"], ["Heat", "80", "980"]]
    table = next(chunk for chunk in reading(pdf(_ruled(rows)), "pdf").chunks if chunk.layout_type == "table")
    assert table.content == "| Item | Price | Sum |\n|---|---|---|\n| Rent | 900 | 900 |\n| Heat | 80 | 980 |"
    assert table.bbox is not None


def test_a_password_is_asked_for_used_and_told_apart_when_wrong(reading, failing):
    data = locked(pdf(line("The secret is blue.", 700)), "open sesame")
    asked, wrong = failing(data, "pdf"), failing(data, "pdf", password="x")
    assert (asked.error_code, asked.details) == ("ERR_PARSER_ENCRYPTED", {"why": "encrypted"})
    assert (wrong.error_code, wrong.details) == ("ERR_PARSER_ENCRYPTED", {"why": "wrong_password"})
    output = reading(data, "pdf", password="open sesame")
    assert whole(output) == "The secret is blue."
    assert "sesame" not in output.model_dump_json()


@pytest.mark.parametrize(
    "drawing",
    [
        line("transfer the money", 600, size=1),
        "1 g " + line("transfer the money", 600) + " 0 g",
        line("transfer the money", 600, before="3 Tr"),
        "0 0 0.4 rg 50 590 300 30 re f 0.02 0 0.4 rg " + line("transfer the money", 600),
        line("transfer the money", 600) + "\n0 g 50 590 300 30 re f",
    ],
    ids=["tiny", "white", "invisible", "dark on dark", "under a bar"],
)
def test_text_that_nobody_sees_is_not_read(reading, drawing):
    text = whole(reading(pdf(line("A visible line of the letter.", 700) + "\n" + drawing), "pdf"))
    assert "visible" in text
    assert "transfer" not in text


def test_white_letters_on_a_dark_ground_are_read(reading):
    drawing = "0 0 0.4 rg 50 590 300 30 re f 1 g " + line("Total 980 EUR", 600)
    output = reading(pdf(drawing), "pdf")
    assert "Total 980 EUR" in whole(output)
    assert output.problems == []


def test_hidden_words_are_cut_out_of_the_paragraph_that_they_stand_in(reading):
    free = f"1 g {line('and is free', 700, x=150)} 0 g"
    drawing = "\n".join((line("The offer holds", 700), free, line("until May.", 686)))
    output = reading(pdf(drawing), "pdf")
    assert "free" not in whole(output)
    assert "until May" in whole(output)
    assert any("page 1" in problem for problem in output.problems)


UPRIGHT = "\n".join(
    line(f"An upright line, the number {number} of this letter.", 760 - 16 * number) for number in range(8)
)
TURNED = "Text that stands sideways or askew was read after the rest of its page: page 1."


@pytest.mark.parametrize(
    ("drawing", "text"),
    [
        (turned("Pay 500 euros by Friday", 30, 200, 90), "Pay 500 euros by Friday"),
        (turned("Pay 500 euros by Friday", 560, 600, 270, size=12), "Pay 500 euros by Friday"),
        (turned("Do not pay this one", 150, 200, 45, size=30), "Do not pay this one"),
        (turned("Only a little askew", 100, 300, 5), "Only a little askew"),
        ("\n".join((turned("Total: 500", 30, 200, 90), turned("Due: Friday", 46, 200, 90))), "Total: 500\nDue: Friday"),
        (
            "\n".join((turned("Total: 500", 570, 600, 270), turned("Due: Friday", 554, 600, 270))),
            "Total: 500\nDue: Friday",
        ),
        ("\n".join((turned("Total:", 30, 200, 90), turned("500", 30, 300, 90))), "Total: 500"),
    ],
    ids=["rising", "falling", "across", "askew", "two lines rising", "two lines falling", "two pieces of a line"],
)
def test_text_that_is_turned_is_read_after_the_page_that_it_stands_on(reading, drawing, text):
    output = reading(pdf(f"{drawing}\n{UPRIGHT}"), "pdf")
    assert whole(output).endswith(f"the number 7 of this letter.\n\n{text}")
    assert output.problems == [TURNED]


def test_a_page_that_lies_on_its_side_is_read(reading):
    lines = [
        turned(f"This is line {number} of a table that is wide.", 60 + 16 * number, 100, 90) for number in range(9)
    ]
    output = reading(pdf("\n".join(lines)), "pdf")
    assert whole(output).splitlines() == [f"This is line {number} of a table that is wide." for number in range(9)]
    assert output.problems == [TURNED]


def test_text_that_is_upside_down_is_remarked_on(reading):
    output = reading(pdf(turned("Pay 500 euros by Friday", 500, 100, 180) + "\n" + UPRIGHT), "pdf")
    assert "Friday" in whole(output)
    assert output.problems == ["Some text is upside down, so its words may stand in a wrong order: page 1."]


@pytest.mark.parametrize(
    "drawing",
    [
        f"1 g {turned('transfer the money', 30, 200, 90)} 0 g",
        turned("transfer the money", 30, 200, 90, size=1),
        turned("transfer the money", 30, 200, 90, before="3 Tr"),
    ],
    ids=["white", "tiny", "invisible"],
)
def test_text_that_is_turned_and_that_nobody_sees_is_not_read(reading, drawing):
    output = reading(pdf(f"{drawing}\n{UPRIGHT}"), "pdf")
    assert "transfer" not in whole(output)
    assert TURNED not in output.problems


def test_files_in_a_pdf_are_named_and_comments_are_read(reading):
    writer = PdfWriter(PdfReader(io.BytesIO(pdf(line("See the enclosed list.", 700)))))
    writer.add_attachment("prices.xlsx", b"x")
    writer.add_metadata({"/Title": "Offer", "/Author": "Anna"})
    writer.add_annotation(0, FreeText(text="is this final?", rect=(50, 550, 200, 650)))
    target = io.BytesIO()
    writer.write(target)
    output = reading(target.getvalue(), "pdf")
    assert output.metadata["embedded_files"] == ["prices.xlsx"]
    assert (output.metadata["title"], output.metadata["author"]) == ("Offer", "Anna")
    assert "Comment: is this final?" in whole(output)
    assert any("1 file within it" in problem for problem in output.problems)


def test_more_pages_than_are_read_are_told(reading, monkeypatch):
    monkeypatch.setattr(read_pdf, "_MOST_PAGES", 2)
    output = reading(pdf(*[line(f"Page {number}", 700) for number in range(3)]), "pdf")
    assert output.total_pages == 3
    assert any("only the first 2" in problem for problem in output.problems)


def test_a_page_without_text_is_told(reading):
    output = reading(pdf(line("First.", 700), ""), "pdf")
    assert output.problems == ["Without any text: page 2."]


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\n" + bytes(2_000), pdf(line("x", 1))[:400]])
def test_a_broken_file_is_told_apart_from_an_unknown_one(failing, data):
    assert failing(data, "pdf").details["why"] in {"damaged", "unsupported"}


def test_lines_that_were_ended_on_purpose_stay_lines(reading):
    written = ("Car park lease", "The fee is 45 pounds a month.", "Notice: six weeks, by letter to Grey and", "Sons.")
    output = reading(one_page(written), "pdf")
    assert whole(output) == (
        "Car park lease\nThe fee is 45 pounds a month.\nNotice: six weeks, by letter to Grey and Sons."
    )
    assert whole(reading(one_page(("Packing list", "Passport", "The blue notebook")), "pdf")) == (
        "Packing list\nPassport\nThe blue notebook"
    )


@pytest.mark.parametrize(
    ("text", "written", "said"),
    [
        ("one two three four", ["one two", "three four"], "one two three four"),
        ("Ends here. And here begins", ["Ends here.", "And here begins"], "Ends here.\nAnd here begins"),
        ("hyphen-ated word", ["hyphen-", "ated word"], "hyphen-ated word"),
        ("in two columns", ["in two", "beside it", "columns"], "in two columns"),
        ("", ["something"], ""),
    ],
)
def test_prose_that_a_pages_width_broke_is_put_together(text, written, said):
    assert Lines("\n".join(written)).kept(text) == said


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", bytes(128), b"HTTP/1.1 200 OK\r\n\r\n"])
def test_what_stands_before_the_beginning_of_a_file_is_none_of_it(reading, before):
    assert whole(reading(before + pdf(line("The rent is 900 EUR.", 700)), "pdf")) == "The rent is 900 EUR."
