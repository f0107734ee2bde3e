"""`butler parse`: shows what the butler reads from a file."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from butler.cli.options import DEFAULT, ConfigOption, JsonOption


def parse(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Documents, pages, sheets, pictures.")],
    config: ConfigOption = DEFAULT,
    as_json: JsonOption = False,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="The first line of standard input opens what is protected.")
    ] = False,
    force_ocr: Annotated[
        bool, typer.Option("--force-ocr", help="Read each page as a picture, whatever text it holds.")
    ] = False,
) -> None:
    """Show what the butler reads of a file, as an outline or whole as JSON. Nothing is kept."""
    from butler.cli.parse import parse_files, password_of, settings_of  # noqa: PLC0415

    password = password_of(sys.stdin) if password_stdin else None
    settings = settings_of(config)
    asyncio.run(parse_files(files, settings, as_json=as_json, password=password, force_ocr=force_ocr))
