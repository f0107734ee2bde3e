"""Prompts by file name, rendered strictly: a value that is missing is an error, not an empty string."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "prompts"


@cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only models read prompts

    # Prompts are text for a model; nothing here is HTML.
    return Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
        trim_blocks=True,
    )


def render(name: str, values: Mapping[str, Any]) -> str:
    """A prompt file with its values."""
    return str(_environment().get_template(name).render(**values))
