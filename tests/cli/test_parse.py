"""`butler parse`: an outline for people, JSON for programs, a code where a file could not be read."""

import json
import os

import pytest
from typer.testing import CliRunner

from butler.cli.main import app
from tests.agents.parser.files import line, locked, packed, pdf


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def ran(*arguments, words=""):
        return CliRunner().invoke(app, ["parse", *map(str, arguments)], input=words)

    return ran


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter.pdf"
    path.write_bytes(pdf(line("Dear Anna, the rent is 900 EUR.", 700)))
    return path


def test_a_person_sees_an_outline(run, letter):
    result = run(letter)
    assert result.exit_code == 0
    assert f"{letter} (pdf, 1 piece)" in result.output
    assert "[text]\n    Dear Anna, the rent is 900 EUR." in result.output


def test_a_program_gets_a_line_for_each_file_and_the_code_of_what_failed(run, letter, tmp_path):
    archive = tmp_path / "old.doc"
    archive.write_bytes(b"\x00\x01\x02 no text")
    result = run(letter, archive, "--json")
    assert result.exit_code == 1
    read, failed = map(json.loads, result.output.splitlines())
    assert read["file"] == str(letter)
    assert set(read) >= {"document_id", "metadata", "chunks", "total_pages", "processing_time_ms", "problems"}
    assert (failed["file"], failed["error_code"]) == (str(archive), "ERR_PARSER_UNSUPPORTED")


def test_a_password_comes_by_standard_input(run, tmp_path):
    path = tmp_path / "locked.pdf"
    path.write_bytes(locked(pdf(line("It is blue.", 700)), "open sesame"))
    asked = run(path)
    assert asked.exit_code == 1
    assert "The file is protected by a password." in asked.output
    assert "It is blue." in run(path, "--password-stdin", words="open sesame\n").output
    assert run(path, "--password-stdin").exit_code == 1


def test_what_hides_in_a_file_is_made_visible_on_the_terminal(run, tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("pay \u202e\x1b[2Jme", "utf-8")
    assert "pay [U+202E][U+001B][2Jme" in run(path).output


def test_a_file_that_is_not_there_is_told_in_one_sentence(run, tmp_path):
    result = run(tmp_path / "gone.pdf")
    assert result.exit_code == 1
    assert "cannot be read: No such file" in result.output
    told = json.loads(run(tmp_path / "gone.pdf", "--json").output)
    assert (told["agent_id"], told["error_code"]) == ("parser", "ERR_CONNECTOR_NOT_FOUND")
    assert told["file"].endswith("gone.pdf")


def test_names_of_files_and_in_them_steer_no_terminal(run, tmp_path):
    path = tmp_path / "a\x1b[2J.zip"
    path.write_bytes(packed({"b\x1b]0;mine\x07\nbutler: all is well.txt": "x"}))
    output = run(path).output
    assert output.rstrip("\n").isprintable()
    assert "a[U+001B][2J.zip" in output


def test_what_is_no_file_is_not_waited_for(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    result = run(tmp_path / "pipe")
    assert result.exit_code == 1
    assert "is no file" in result.output
