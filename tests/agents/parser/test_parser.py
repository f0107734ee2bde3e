"""The child process: what it may not do, and what becomes of a file that ends it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from butler.agents.parser import parser as parser_module
from butler.agents.parser.landlock import version
from butler.agents.parser.parser import DocumentParser
from butler.agents.parser.port import ParserInput
from butler.contract.agents import AgentFailure, ParserOutput
from butler.contract.speech import speak
from config.agents import DocumentsSettings
from config.language import OwnerLanguage
from tests.agents.parser.files import docx, line, locked, paragraph, pdf, run

_ROOT = Path(__file__).parents[3]

_TRIES = """
import json, os, socket, subprocess, sys, threading
from butler.agents.parser.bounds import bound
listener = socket.create_server(("127.0.0.1", 0))
bound(350)
def tried(act):
    try:
        act()
    except BaseException as error:
        return type(error).__name__
    return "done"
def by_the_kernel():
    import ctypes
    return 1 / (ctypes.CDLL(None).socket(2, 1, 0) + 1)
def another_interface():
    import ctypes
    return 1 / (ctypes.CDLL(None).syscall(0x40000000 | 41, 2, 1, 0) + 1)
def another_process():
    import ctypes
    return 1 / (ctypes.CDLL(None).kill(os.getppid(), 0) + 1)
def a_file_by_the_kernel():
    import ctypes
    return 1 / (ctypes.CDLL(None).open(b"/etc/passwd", os.O_RDONLY) + 1)
thread = threading.Thread(target=int)
print(json.dumps({
    "socket": tried(lambda: socket.socket()),
    "connect": tried(lambda: socket.create_connection(listener.getsockname(), 1)),
    "connect an old one": tried(lambda: listener.connect(listener.getsockname())),
    "file": tried(lambda: open("/etc/passwd").read()),
    "file by the kernel": tried(a_file_by_the_kernel),
    "folder": tried(lambda: os.listdir("/etc")),
    "its owner's folder": tried(lambda: open(os.path.join(sys.argv[2], "pyproject.toml")).read()),
    "itself": tried(lambda: open(os.__file__).read()),
    "resolve": tried(lambda: socket.getaddrinfo("localhost", 80)),
    "kernel": tried(by_the_kernel),
    "other interface": tried(another_interface),
    "other process": tried(another_process),
    "program": tried(lambda: subprocess.run(["true"])),
    "fork": tried(os.fork),
    "shell": tried(lambda: os.system("true")),
    "write": tried(lambda: open(sys.argv[1], "wb", buffering=0).write(b"x")),
    "memory": tried(lambda: bytearray(400_000_000)),
    "thread": tried(thread.start),
}))
"""


@pytest.fixture
async def parser():
    made = DocumentParser(DocumentsSettings())
    yield made
    await made.stop()


@pytest.fixture
def letter(tmp_path):
    path = tmp_path / "letter"
    path.write_bytes(pdf(line("Dear Anna, the rent is 900 EUR.", 700)))
    return given(path)


def given(path: Path, file_type="pdf", **more) -> ParserInput:
    return ParserInput(file_path=str(path), file_type=file_type, ingestion_source="local", name="a.pdf", **more)


async def pid_of(parser: DocumentParser) -> int:
    """Of the child that was started, once it was; it stands still, as one does that reads for ever."""
    async with asyncio.timeout(60):
        while True:
            for child in parser._children:
                if child._process is not None:
                    os.kill(child._process.pid, signal.SIGSTOP)
                    return child._process.pid
            await asyncio.sleep(0.001)


def test_the_process_reaches_no_network_starts_no_program_writes_no_file_and_stays_small(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", _TRIES, str(tmp_path / "x"), str(_ROOT)], capture_output=True, check=True, cwd=_ROOT
    )
    by_landlock = {"file by the kernel": "ZeroDivisionError", "folder": "PermissionError"} if version() else {}
    found = json.loads(ran.stdout)
    assert found == found | by_landlock | {
        "socket": "PermissionError",
        "connect": "PermissionError",
        "connect an old one": "PermissionError",
        "file": "PermissionError",
        "its owner's folder": "PermissionError",
        "itself": "done",
        "resolve": "PermissionError",
        "kernel": "ZeroDivisionError",
        "other interface": "ZeroDivisionError",
        "other process": "ZeroDivisionError",
        "program": "PermissionError",
        "fork": "PermissionError",
        "shell": "PermissionError",
        "write": "PermissionError",
        "memory": "MemoryError",
        "thread": "done",
    }


async def test_no_child_runs_before_the_first_file_or_after_a_while_without_one(letter):
    parser = DocumentParser(DocumentsSettings(), idle_s=0.01)
    assert all(child._process is None for child in parser._children)
    output = await parser.parse(letter)
    assert isinstance(output, ParserOutput)
    assert output.metadata["name"] == "a.pdf"
    async with asyncio.timeout(60):
        while any(child._process is not None for child in parser._children):  # noqa: ASYNC110 - it leaves by itself
            await asyncio.sleep(0.01)
    assert isinstance(await parser.parse(letter), ParserOutput)
    await parser.stop()


async def test_a_child_that_is_killed_in_the_middle_costs_that_file_only(parser, letter):
    reading = asyncio.create_task(parser.parse(letter))
    os.kill(await pid_of(parser), signal.SIGKILL)
    killed = await reading
    assert isinstance(killed, AgentFailure)
    assert (killed.error_code, killed.recoverable) == ("ERR_PARSER_UNSUPPORTED", False)
    assert isinstance(await parser.parse(letter), ParserOutput)


async def test_a_child_that_died_between_two_files_costs_none(parser, letter):
    assert isinstance(await parser.parse(letter), ParserOutput)
    os.kill(await pid_of(parser), signal.SIGKILL)
    assert isinstance(await parser.parse(letter), ParserOutput)


async def test_a_file_that_takes_too_long_is_given_up_and_may_be_tried_again(monkeypatch, letter):
    monkeypatch.setattr(parser_module, "_GRACE_S", 0.0)
    parser = DocumentParser(DocumentsSettings(timeout_s=0.2))
    reading = asyncio.create_task(parser.parse(letter))
    await pid_of(parser)
    late = await reading
    assert isinstance(late, AgentFailure)
    assert (late.error_code, late.recoverable) == ("ERR_TIMEOUT", True)
    assert "0.2 seconds" in late.message
    await parser.stop()


async def test_what_was_read_when_the_time_is_up_is_given_and_the_rest_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(parser_module, "_GRACE_S", 120.0)  # a busy machine
    parser = DocumentParser(DocumentsSettings(timeout_s=2, memory_mb=1_000))
    page = "\n".join(line(f"This is line {at} of a page.", 800 - 12 * at) for at in range(60))
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(*[page] * 1_800))
    read = await parser.parse(given(path))
    assert isinstance(read, ParserOutput)
    assert "line 59" in read.chunks[0].content + read.chunks[1].content
    assert read.problems[0].startswith("Not read: pages ")
    assert read.problems[0].endswith(" to 1800.")
    assert "2 seconds ([documents] timeout_s)" in read.problems[1]
    await parser.stop()


async def test_a_file_of_which_nothing_is_read_in_time_may_be_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(parser_module, "_GRACE_S", 120.0)  # a busy machine
    parser = DocumentParser(DocumentsSettings(timeout_s=0.3, memory_mb=1_500))
    path = tmp_path / "long.docx"
    path.write_bytes(docx("".join(paragraph(f"word {at * 7919}") for at in range(300_000))))
    late = await parser.parse(given(path, "docx"))
    assert isinstance(late, AgentFailure)
    assert (late.error_code, late.recoverable) == ("ERR_TIMEOUT", True)
    await parser.stop()


async def test_a_pipe_in_place_of_a_file_is_not_waited_for(parser, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = await parser.parse(given(tmp_path / "pipe"))
    assert isinstance(found, AgentFailure)
    assert found.details["why"] == "unsupported"


async def test_a_file_that_takes_too_much_memory_is_refused_in_a_sentence(tmp_path, letter):
    parser = DocumentParser(DocumentsSettings(memory_mb=200))
    path = tmp_path / "large.txt"
    path.write_bytes(b"word " * 24_000_000)
    found = await parser.parse(given(path, "txt"))
    assert isinstance(found, AgentFailure)
    assert found.error_code == "ERR_PARSER_UNSUPPORTED"
    assert "memory_mb" in found.message
    assert isinstance(await parser.parse(letter), ParserOutput)
    await parser.stop()


async def test_a_password_is_in_no_argument_no_environment_and_no_answer(parser, tmp_path, letter):
    secret = "correct horse"
    reading = asyncio.create_task(parser.parse(letter.model_copy(update={"password": SecretStr(secret)})))
    process = Path(f"/proc/{await pid_of(parser)}")
    assert secret.encode() not in (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    path = tmp_path / "locked"
    path.write_bytes(locked(pdf(line("It is blue.", 700)), secret))
    asked = await parser.parse(given(path))
    assert isinstance(asked, AgentFailure)
    assert (asked.error_code, asked.recoverable) == ("ERR_PARSER_ENCRYPTED", True)
    opened = await parser.parse(given(path, password=SecretStr(secret)))
    assert isinstance(opened, ParserOutput)
    assert secret not in opened.model_dump_json()


async def test_several_files_are_read_side_by_side_and_each_has_its_own_answer(parser, tmp_path):
    inputs = []
    for number in range(6):
        path = tmp_path / str(number)
        path.write_text(f"note {number}", "utf-8")
        inputs.append(given(path, "txt"))
    outputs = await asyncio.gather(*(parser.parse(one) for one in inputs))
    assert [output.chunks[0].content for output in outputs] == [f"note {number}" for number in range(6)]


async def test_a_file_that_is_gone_is_told(parser, tmp_path):
    found = await parser.parse(given(tmp_path / "gone"))
    assert isinstance(found, AgentFailure)
    assert found.details == {"why": "missing", "name": "a.pdf"}


_PARENT = """
import asyncio, sys
from butler.agents.parser.parser import DocumentParser
from butler.agents.parser.port import ParserInput
from config.agents import DocumentsSettings
from config.language import OwnerLanguage
async def main():
    parser = DocumentParser(DocumentsSettings())
    reading = asyncio.create_task(parser.parse(
        ParserInput(file_path=sys.argv[1], file_type="pdf", ingestion_source="local")
    ))
    while parser._children[-1]._process is None:
        await asyncio.sleep(0.01)
    print(parser._children[-1]._process.pid, flush=True)
    await reading
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_a_child_that_reads_does_not_outlive_a_daemon_that_is_killed(letter):
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, letter.file_path], stdout=subprocess.PIPE, text=True, cwd=_ROOT
    ) as parent:
        assert parent.stdout is not None
        child = Path(f"/proc/{parent.stdout.readline().strip()}")
        # It holds itself before it takes the file.
        _until(lambda: "Seccomp:\t2" in (child / "status").read_text())
        os.kill(int(child.name), signal.SIGSTOP)
        parent.kill()
    _until(lambda: not child.exists() or "State:\tZ" in (child / "status").read_text())


def _until(holds):
    ends = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


async def test_what_could_not_be_read_is_said_in_the_owners_language_by_a_child_that_knows_it(tmp_path: Path) -> None:
    parser = DocumentParser(DocumentsSettings())
    damaged, changed = tmp_path / "plan.docx", tmp_path / "notes.docx"
    damaged.write_bytes(b"PK\x03\x04 and nothing else")
    changed.write_bytes(docx(paragraph(run("Seen")) + paragraph(run("Hidden", "<w:vanish/>"))))

    async def said(path: Path) -> str:
        answer = await parser.parse(ParserInput(file_path=str(path), file_type="docx", ingestion_source="chat"))
        return answer.message if isinstance(answer, AgentFailure) else " ".join(answer.problems)

    try:
        assert await said(changed) == "Text that nobody can see was left out."
        speak(OwnerLanguage.GERMAN)
        assert await said(changed) == "Text, den niemand sehen kann, wurde ausgelassen."
        assert (await said(damaged)).startswith("Die Datei")
        speak(OwnerLanguage.ENGLISH)
        assert (await said(damaged)).startswith("The file")
    finally:
        await parser.stop()
