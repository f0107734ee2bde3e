"""Kinds of files by what they hold, within narrow bounds."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from butler.agents.file_types import file_type_of, why_unread
from tests.support.corpora import DOCUMENTS, rows

KINDS = {"htm": "html", "jpg": "image", "png": "image"}


def test_the_documents_of_the_corpus_are_what_they_are_with_and_without_their_names():
    names = [row["file"] for row in rows(DOCUMENTS / "index.jsonl")]
    kinds = {name: (file_type_of(DOCUMENTS / name, name), file_type_of(DOCUMENTS / name)) for name in names}
    assert len(kinds) > 30
    for name, (named, bare) in kinds.items():
        ending = name.rsplit(".", 1)[1]
        if ending in {"msg", "svg", "zip"}:
            assert (named, bare) == (None, None)
            assert why_unread(DOCUMENTS / name)
        else:
            assert named == KINDS.get(ending, ending)
            # Without its name an encrypted Office file is some old one, and a table in words is a text.
            assert bare == named or name.endswith(("encrypted_secret.docx", ".csv"))


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in names:
            file.writestr(name, "x")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (archive("[Content_Types].xml", "word/document.xml", "word/embeddings/xl/a.xlsx"), "docx"),
        (archive("xl/workbook.xml"), "xlsx"),
        (archive("ppt/presentation.xml"), "pptx"),
        (archive("a.txt", "b/word/c.xml"), None),
        (archive("x" * 60_000, "word/document.xml"), "docx"),
        (b"PK\x03\x04" + bytes(100), None),
        (b"PK\x03\x04PK\x05\x06", None),
        (b"PK\x03\x04PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 2**32 - 1, 0, 0), None),
        (b"PK\x03\x04PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 4, 2**32 - 1, 0), None),
        (b"", "txt"),
        (b"\x00", None),
        (b"{\\rtf1 hello}", None),
        (b"BM is how this text begins", "txt"),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (b"\xff\xfeh\x00i\x00", "txt"),
        (b"\xef\xbb\xbf  <!DOCTYPE html>", "html"),
        (b"\xef\xbb\xbfbegin:vcalendar\r\n", "ics"),
        (b"Received: by x\r\n\tfor y\r\nFrom: Anna <a@x.example>\r\nSubject: z\r\n\r\nHello", "eml"),
        (b"From: Anna\r\nTo: Bo\r\n\r\nA note on paper", "txt"),
        (b"From: Anna\r\nMIME-Version: 1.0\r\nthis is no header\r\n\r\n", "txt"),
        (b"%!PS-Adobe", "txt"),
    ],
)
def test_a_file_without_a_name_is_what_it_holds(tmp_path: Path, data: bytes, kind: str | None):
    path = tmp_path / "file"
    path.write_bytes(data)
    assert file_type_of(path) == kind


def test_a_name_decides_only_between_texts(tmp_path: Path):
    path = tmp_path / "file"
    for data, name, kind in (
        (b"a,b", "prices.CSV", "csv"),
        (b"# Notes", "notes.md", "md"),
        (b"From: a@b.example\n\nHello", "mail.eml", "eml"),
        (b"%PDF-1.7", "notes.md", "pdf"),
        (b"words", "report.pdf", "txt"),
        (b"words", "../../etc/passwd", "txt"),
    ):
        path.write_bytes(data)
        assert file_type_of(path, name) == kind
