"""`butler parse`: what the butler reads from a file, for people or programs. Stores nothing."""

import json
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer
from pydantic import SecretStr

from approvals.visible import visible, visible_line
from butler.agents.file_types import file_type_of
from butler.agents.parser.parser import AGENT_ID, DocumentParser
from butler.agents.parser.port import ParserInput
from butler.contract.agents import AgentFailure, ParserOutput
from butler.contract.errors import AgentErrorCode, Refuse
from config.agents import DocumentsSettings
from config.load import load

_SHOWN = 3
"""Lines of each chunk shown to a person, and rows of a table."""
_WIDEST = 110


def settings_of(config: Path) -> DocumentsSettings:
    """Return the file's settings, or the defaults if there are none; raise `ConfigError`."""
    return load(config).settings.documents if config.exists() else DocumentsSettings()


async def parse_files(
    files: Sequence[Path], settings: DocumentsSettings, *, as_json: bool, password: SecretStr | None, force_ocr: bool
) -> None:
    """Print what is read from each file, or why nothing is. Raise `Exit` if one gave no text."""
    parser = DocumentParser(settings)
    failed = False
    try:
        for file in files:
            given = _input(file, password, force_ocr=force_ocr)
            answer = await parser.parse(given) if isinstance(given, ParserInput) else given
            failed = failed or isinstance(answer, AgentFailure)
            if as_json:
                print(_line({"file": str(file), **answer.model_dump(mode="json")}), flush=True)
            else:
                _show(file, answer)
    finally:
        await parser.stop()
    if failed:
        raise typer.Exit(1)


def password_of(lines: Iterator[str]) -> SecretStr:
    """Return the first line of standard input; raise `Refuse` if there is none."""
    password = next(lines, "").rstrip("\r\n")
    if not password:
        raise Refuse("there is no password on standard input: write it as one line, such as by `cat FILE | butler ...`")
    return SecretStr(password)


def _input(file: Path, password: SecretStr | None, *, force_ocr: bool) -> ParserInput | AgentFailure:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return _failed(AgentErrorCode.REFUSED, file, "It is no file, so there is nothing to be read in it.")
        # The parser reports an unknown type in a better sentence.
        kind = file_type_of(file, file.name) or "txt"
    except OSError as error:
        return _failed(_code_of(error), file, f"The file cannot be read: {error.strerror}.")
    return ParserInput(
        file_path=str(file.absolute()),
        file_type=kind,
        ingestion_source="local",
        force_ocr=force_ocr,
        password=password,
        name=file.name,
    )


def _code_of(error: OSError) -> AgentErrorCode:
    match error:
        case PermissionError():
            return AgentErrorCode.CONNECTOR_AUTH
        case FileNotFoundError() | NotADirectoryError():
            return AgentErrorCode.CONNECTOR_NOT_FOUND
        case _:
            return AgentErrorCode.UNAVAILABLE


def _failed(code: AgentErrorCode, file: Path, message: str) -> AgentFailure:
    details = {"why": "missing", "name": file.name}
    return AgentFailure(agent_id=AGENT_ID, error_code=code, message=message, details=details)


def _show(file: Path, answer: ParserOutput | AgentFailure) -> None:
    """Print an outline for a person, with invisible characters made visible."""
    name = visible_line(str(file))
    if isinstance(answer, AgentFailure):
        print(f"butler: {name}: {visible_line(answer.message)}", file=sys.stderr)
        return
    about = answer.metadata
    pages = f"{answer.total_pages} pages, " if answer.total_pages > 1 else ""
    print(f"{name} ({about['file_type']}, {pages}{_counted(len(answer.chunks), 'piece')})")
    for name in ("title", "author"):
        if about.get(name):
            print(f"  {name}: {visible_line(str(about[name]))}")
    for chunk in answer.chunks:
        place = f"page {chunk.page_number}, " if chunk.page_number and answer.total_pages > 1 else ""
        print(f"\n  [{place}{chunk.layout_type}]")
        lines = [line for line in visible(chunk.content).splitlines() if line.strip()]
        for line in lines[:_SHOWN]:
            print(f"    {line[:_WIDEST]}{' ...' if len(line) > _WIDEST else ''}")
        if len(lines) > _SHOWN:
            print(f"    ({_counted(len(lines) - _SHOWN, 'more line')})")
    for problem in answer.problems:
        print(f"\n  Mind: {visible_line(problem)}")
    print()


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _line(value: dict[str, Any]) -> str:
    # A line of JSON must be text on any terminal: a lone surrogate stays an escape.
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
