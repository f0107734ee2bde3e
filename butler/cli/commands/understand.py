"""`butler understand`: shows how the planner reads a request."""

import asyncio
import sys
from typing import Annotated

import typer

from butler.cli.options import JsonOption


def understand(
    text: Annotated[str | None, typer.Argument(help="A request, in quotes.")] = None,
    as_json: JsonOption = False,
    now: Annotated[str, typer.Option(help="The time it is said, ISO 8601.")] = "",
    prompt: Annotated[bool, typer.Option("--prompt", help="Show what a language model would be sent.")] = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read lines of {id, text}, answer each with its id.")] = False,
) -> None:
    """Show what the butler would make of a request, on the demo's people; nothing is done."""
    from butler.cli.understand import understood, understood_lines  # noqa: PLC0415

    async def answer_lines() -> None:
        async for line in understood_lines(sys.stdin, now=now):
            print(line)

    if jsonl == (text is not None):
        raise typer.BadParameter("give a TEXT, or --jsonl and lines on standard input")
    if prompt and text is None:
        raise typer.BadParameter("--prompt takes one TEXT")
    if text is None:
        asyncio.run(answer_lines())
    elif prompt:
        from butler.cli.model_prompt import model_prompt  # noqa: PLC0415

        print(asyncio.run(model_prompt(text, now=now, as_json=as_json)))
    else:
        print(asyncio.run(understood(text, now=now, as_json=as_json)))
