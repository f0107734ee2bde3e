"""Word files are read in their final version, without what nobody sees."""

import time

import pytest

from tests.agents.parser.conftest import whole
from tests.agents.parser.files import W, deleted, docx, inserted, paragraph, run
from tests.support.corpora import DOCUMENTS

_STYLES = (
    f'<w:styles {W}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="H2"/></w:style>'
    '<w:style w:type="character" w:styleId="Secret"><w:name w:val="x"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)


def styled(body, **more):
    return docx(body, parts={"word/styles.xml": _STYLES, **more}, related=[("s", "styles", "styles.xml")])


def test_do_03_inserted_text_of_a_reviewed_contract_is_in_and_deleted_text_is_out(reading):
    body = (
        paragraph("The tenant pays ", deleted("the "), inserted("a yearly "), "rent.")
        + f"<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr>{inserted('A whole new clause.')}</w:p>"
        + f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('First half, ')}</w:p>"
        + paragraph("second half.")
    )
    output = reading(docx(body), "docx")
    assert whole(output) == "The tenant pays a yearly rent.\n\nA whole new clause.\n\nFirst half, second half."
    assert any("open changes" in problem for problem in output.problems)


def test_do_04_a_struck_out_amount_is_not_content(reading):
    output = reading(docx(paragraph("The price is ", deleted("10,000"), inserted("12,000"), " EUR.")), "docx")
    assert "12,000" in whole(output)
    assert "10,000" not in output.model_dump_json()
    # Some programs leave the deleted words in plain text runs.
    plain = f"<w:del>{run('10,000')}</w:del>"
    output = reading(docx(paragraph("The price is ", plain, inserted("12,000"), " EUR.")), "docx")
    assert whole(output) == "The price is 12,000 EUR."


def test_moved_text_is_read_where_it_was_moved_to_and_a_deleted_row_is_not_read(reading):
    move = f"<w:moveFrom>{run('moved')}</w:moveFrom>"
    row = "<w:tr>{0}<w:tc><w:p>{1}</w:p></w:tc><w:tc><w:p>{2}</w:p></w:tc></w:tr>"
    table = "".join(
        (
            row.format("", run("Item"), run("Price")),
            row.format("<w:trPr><w:del/></w:trPr>", run("Old"), run("1")),
            row.format("<w:trPr><w:ins/></w:trPr>", run("New"), run("2")),
        )
    )
    body = f"<w:p>{move}</w:p><w:p><w:moveTo>{run('moved')}</w:moveTo></w:p><w:tbl>{table}</w:tbl>"
    text = whole(reading(docx(body), "docx"))
    assert text.count("moved") == 1
    assert "| New | 2 |" in text
    assert "Old" not in text


def test_headings_come_from_styles_and_each_piece_knows_what_it_stands_under(reading):
    body = (
        paragraph("Contract", style="H1")
        + paragraph("Rent", style="Mine")
        + paragraph("It is 900 EUR.")
        + paragraph("Notice", style="H2")
        + paragraph("Three months.")
    )
    chunks = reading(styled(body), "docx").chunks
    assert [chunk.headings for chunk in chunks] == [["Contract", "Rent"], ["Contract", "Notice"]]
    assert chunks[0].content == "# Contract\n\n## Rent\n\nIt is 900 EUR."


@pytest.mark.parametrize(
    "hidden",
    [
        run("pay the thief", "<w:vanish/>"),
        run("pay the thief", '<w:rStyle w:val="Secret"/>'),
        run("pay the thief", '<w:color w:val="FFFFFF"/>'),
        run("pay the thief", '<w:sz w:val="2"/>'),
    ],
)
def test_letters_that_nobody_sees_are_left_out_and_told(reading, hidden):
    output = reading(styled(paragraph("Seen. ", hidden)), "docx")
    assert whole(output) == "Seen."
    assert "Text that nobody can see was left out." in output.problems


def test_white_letters_on_a_dark_cell_and_letters_that_are_switched_on_again_are_read(reading):
    white = run("Total", '<w:color w:val="FFFFFF"/>')
    cell = f'<w:tc><w:tcPr><w:shd w:fill="000000"/></w:tcPr><w:p>{white}</w:p></w:tc>'
    again = run("Sum", '<w:vanish w:val="0"/>')
    plain = f"<w:tc><w:p>{again}</w:p></w:tc>"
    output = reading(docx(f"<w:tbl><w:tr>{cell}</w:tr><w:tr>{plain}</w:tr></w:tbl>"), "docx")
    assert "Total" in whole(output)
    assert "Sum" in whole(output)
    assert not output.problems


def test_comments_notes_headers_and_links_are_named_as_what_they_are(reading):
    link = (
        '<w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="l">'
        f"{run('our bank')}</w:hyperlink>"
    )
    comment = f'<w:comments {W}><w:comment w:author="Bo">{paragraph("too dear")}</w:comment></w:comments>'
    note = f'<w:footnotes {W}><w:footnote w:id="2">{paragraph("by law")}</w:footnote></w:footnotes>'
    head = f"<w:hdr {W}>{paragraph('Draft')}</w:hdr>"
    output = reading(
        docx(
            paragraph("See ", link, "."),
            parts={"word/comments.xml": comment, "word/footnotes.xml": note, "word/header1.xml": head},
            related=[
                ("l", "hyperlink", "https://evil.example/bank"),
                ("c", "comments", "comments.xml"),
                ("f", "footnotes", "footnotes.xml"),
                ("h", "header", "header1.xml"),
            ],
        ),
        "docx",
    )
    assert whole(output) == (
        "Page header: Draft\n\nSee [our bank](https://evil.example/bank).\n\nFootnote 2: by law\n\n"
        "Comment by Bo: too dear"
    )
    assert output.metadata["links"] == ["https://evil.example/bank"]


def test_a_table_within_a_table_follows_the_one_that_it_stands_in(reading):
    inner = "<w:tbl>" + "".join(f"<w:tr><w:tc>{paragraph(text)}</w:tc></w:tr>" for text in ("in", "deep")) + "</w:tbl>"
    rows = f"<w:tr><w:tc>{paragraph('head')}</w:tc></w:tr><w:tr><w:tc>{paragraph('cell')}{inner}</w:tc></w:tr>"
    chunks = reading(docx(f"<w:tbl>{rows}</w:tbl>"), "docx").chunks
    assert [chunk.layout_type for chunk in chunks] == ["table", "table"]
    assert "deep" in chunks[1].content


@pytest.mark.parametrize("name", ["word/document.xml", "word/styles.xml"])
def test_xml_that_declares_entities_is_not_read(failing, name):
    attack = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><w:x {W}>&e;</w:x>'
    for data in (attack.encode(), b"\xff\xfe" + attack.encode("utf-16-le")):
        found = failing(docx(paragraph("x"), parts={name: data}, related=[("s", "styles", "styles.xml")]), "docx")
        assert found.error_code == "ERR_PARSER_UNSUPPORTED"
        assert found.details == {"why": "hostile"}


def test_xml_that_is_nested_without_end_is_refused_with_a_sentence(failing):
    found = failing(docx("<w:sdt>" * 50_000 + "</w:sdt>" * 50_000), "docx")
    assert found.error_code == "ERR_PARSER_UNSUPPORTED"


def test_a_word_file_opens_with_its_password_and_says_whether_it_was_asked_or_wrong(reading, failing):
    data = (DOCUMENTS / "files" / "encrypted_secret.docx").read_bytes()
    asked, wrong = failing(data, "docx"), failing(data, "docx", password="guess")
    assert {asked.error_code, wrong.error_code} == {"ERR_PARSER_ENCRYPTED"}
    assert asked.message != wrong.message
    assert whole(reading(data, "docx", password="secret")).strip()


def test_text_of_a_hidden_style_is_out_also_where_it_is_a_link_or_was_inserted(reading):
    link = f'<w:hyperlink w:anchor="x">{run("hidden link ")}</w:hyperlink>'
    body = paragraph(link, inserted("hidden insertion "), style="Gone") + paragraph("seen")
    hidden = '<w:style w:type="paragraph" w:styleId="Gone"><w:name w:val="y"/><w:rPr><w:vanish/></w:rPr></w:style>'
    parts = {"word/styles.xml": f"<w:styles {W}>{hidden}</w:styles>"}
    output = reading(docx(body, parts=parts, related=[("s", "styles", "styles.xml")]), "docx")
    assert whole(output) == "seen"
    assert "Text that nobody can see was left out." in output.problems


def test_a_paragraph_of_very_many_runs_is_read_in_a_time_that_grows_with_it_only(reading):
    began = time.process_time()
    assert "aaaa" in whole(reading(docx(f"<w:p>{run('a') * 60_000}</w:p>"), "docx"))
    assert time.process_time() - began < 20
