"""The test data is what it was: no line end, no renaming by script and no formatter has changed a byte of it."""

import hashlib

from tests.support.corpora import DATA, DOCUMENTS, MAILS, rows

CHECKSUMS = DATA / "checksums.txt"
WRITTEN_HERE = {"README.md", "checksums.txt"}


def checksums() -> str:
    names = sorted(path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file())
    kept = [name for name in names if name not in WRITTEN_HERE]
    return "".join(f"{hashlib.sha256((DATA / name).read_bytes()).hexdigest()}  {name}\n" for name in kept)


def test_every_file_of_the_test_data_has_its_checksum():
    assert checksums().splitlines() == CHECKSUMS.read_text("utf-8").splitlines()


def test_every_mail_and_document_has_a_source_and_a_licence_in_its_index():
    for folder, files in ((MAILS, "msg"), (DOCUMENTS, "files")):
        index = {row["file"]: row for row in rows(folder / "index.jsonl")}
        assert set(index) == {f"{files}/{path.name}" for path in (folder / files).iterdir()}
        assert all(row["source"] and row["licence"] for row in index.values())


if __name__ == "__main__":
    CHECKSUMS.write_text(checksums(), "utf-8")
