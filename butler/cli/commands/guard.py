"""`butler guard`: shows what the guardrails find in a text."""

from enum import StrEnum
from typing import Annotated

import typer

from butler.cli.options import JsonOption


class CheckType(StrEnum):
    """The direction of a text: incoming or outgoing."""

    INPUT = "input_validation"
    OUTPUT = "output_safety"


def guard(
    check: Annotated[CheckType, typer.Option(help="Whether the text comes in or goes out.")] = CheckType.INPUT,
    as_json: JsonOption = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read lines of {id, text}, answer each with its id.")] = False,
) -> None:
    """Say what the guardrails find in a text from standard input: orders to an assistant, harm, personal data."""
    from butler.cli.guard import guarded, guarded_lines, standard_input  # noqa: PLC0415

    if jsonl:
        for line in guarded_lines(standard_input(), check.value):
            print(line, flush=True)
    else:
        print(guarded(standard_input().read(), check.value, as_json=as_json))
