"""Every file of the corpus gives its content or its code, within 20 seconds and 400 MB."""

import pytest
from structlog.testing import capture_logs

from butler.agents.parser.parser import DocumentParser
from butler.agents.parser.port import FileType, ParserInput
from butler.contract.agents import AgentFailure, ParserOutput
from config.agents import DocumentsSettings
from tests.agents.parser.conftest import whole
from tests.support.corpora import DOCUMENTS, rows

_TYPES: dict[str, FileType] = {
    ".pdf": "pdf",
    ".html": "html",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".csv": "csv",
}
_REFUSED = {
    "encrypted_secret.docx": ("ERR_PARSER_ENCRYPTED", "encrypted"),
    "billion_laughs.docx": ("ERR_PARSER_UNSUPPORTED", "hostile"),
    "xxe.docx": ("ERR_PARSER_UNSUPPORTED", "hostile"),
    "no_document_part.docx": ("ERR_PARSER_UNSUPPORTED", "damaged"),
    "truncated.pdf": ("ERR_PARSER_UNSUPPORTED", "damaged"),
    "outlook.msg": ("ERR_PARSER_UNSUPPORTED", "unsupported"),
    "script.svg": ("ERR_PARSER_UNSUPPORTED", "unsupported"),
    "zip_nested_bomb.zip": ("ERR_PARSER_UNSUPPORTED", "unsupported"),
    "zip_slip.zip": ("ERR_PARSER_UNSUPPORTED", "unsupported"),
}
_HOLDS = {
    "aes256_empty_user_password.pdf": ["pdf encryption test"],
    "blog.html": ["## Experiment Setup", "April 21, 2023", "[Chi Wang](https://www.linkedin.com/"],
    "booking.pdf": ["| Product Desc: | Holiday Movie Marathon Package |", "$11,250.00"],
    "broken_small.pdf": ["test example"],
    "charts.pptx": ["| Category 4 | 4.5 | 2.8 |"],
    "commented.pdf": ["Note in second paragraph", "The Crazy Ones"],
    "deck.pptx": ["| 7 | 8 | 9 |", "Picture: The first page", "a3f6004b-6f4f-4ea8-bee3-3741f4dc385f"],
    "external_link.docx": ["Testing Linked Images"],
    "external_rels.pptx": ["(https://github.com/scanny/python-pptx)"],
    "formula.csv": ["| @SUM(1+1) | 3 |"],
    "hidden.html": ["Visible part"],
    "hidden_run.docx": ["Contract draft"],
    "notes.pptx": ["Speaker notes: Notes"],
    "receipt.pdf": ["TXN-98765-2024"],
    "rich_comments.docx": ["Comment by Steve Canny: Text with hyperlink"],
    "scan_rotated90.pdf": ["Warranty card\nSerial 8841-XZ\nBought 2024-11-02"],
    "sheet.xlsx": ["| Alpha | Beta | Gamma | Delta |", "affc7dad-52dc-4b98-9b5d-51e65d8a8ad0"],
    "tiny_text_injection.pdf": ["Curriculum vitae"],
}
_EMPTY = {"page_tree_cycle.pdf", "nested_tables.docx"}
"""Files that hold no text; a problem says so."""


@pytest.mark.nightly
async def test_every_file_of_the_corpus_gives_its_content_or_its_code_within_20_s_and_400_mb():
    entries = rows(DOCUMENTS / "index.jsonl")
    assert len(entries) >= 32
    parser = DocumentParser(DocumentsSettings())
    for entry in entries:
        path = DOCUMENTS / entry["file"]
        with capture_logs() as logs:
            output = await parser.parse(
                ParserInput(file_path=str(path), file_type=_TYPES.get(path.suffix, "txt"), ingestion_source="local")
            )
        await parser.stop()
        (used,) = logs
        # As the process itself counts, of its whole life.
        assert 0 < used["processor_s"] < 20, path.name
        assert 10 < used["peak_mb"] < 400, path.name
        _holds(path.name, output, entry["expect"])


def _holds(name: str, output: ParserOutput | AgentFailure, expected: dict) -> None:
    if name in _REFUSED:
        assert isinstance(output, AgentFailure), name
        assert (output.error_code, output.details["why"]) == _REFUSED[name], name
        assert "root:" not in output.model_dump_json()
        return
    assert isinstance(output, ParserOutput), (name, output)
    text = whole(output)
    assert bool(text) != (name in _EMPTY), name
    assert text or output.problems, name
    for words in [*expected.get("contains", []), *expected.get("ocr_contains", []), *_HOLDS.get(name, [])]:
        assert words in text, (name, words)
    if "hidden" in expected:
        assert expected["hidden"] not in output.model_dump_json(), name
        assert any("nobody can see" in problem for problem in output.problems), name
    if expected.get("text_empty"):
        assert output.metadata["ocr_pages"] == [1], name
    if expected.get("has_embedded_file"):
        assert output.metadata["embedded_files"] == ["jpeg.pdf"]
