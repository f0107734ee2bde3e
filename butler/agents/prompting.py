"""Renders prompts by file name, strictly: a missing value is an error, not an empty string."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any


class Prompts:
    """The prompts of one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _environment(self) -> Any:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415 - only models read prompts

        # Prompts are text for a model; nothing here is HTML.
        return Environment(
            loader=FileSystemLoader(self._folder),
            undefined=StrictUndefined,
            autoescape=False,  # noqa: S701
            trim_blocks=True,
        )

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Render a prompt file with its values."""
        return str(self._environment.get_template(name).render(**values))
