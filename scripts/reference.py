"""Writes the references of tools, settings and commands out of the code; with `--check`, says where they are old."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from butler.cli.main import app
from butler.cli.tools.describe import type_of
from butler.cli.tools.list import asks
from butler.offline import offline_registry
from config.durations import show_duration
from config.settings import Settings

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
NOTE = "<!-- Written by `python -m scripts.reference`; change the code instead. -->\n"


def tools_page() -> str:
    """Every tool, by module."""
    registry, _classes = offline_registry()
    lines = [
        "# Tools",
        NOTE,
        "A tool is named `user_<channel>_<action>` when it acts as you and `bot_<channel>_<action>`",
    ]
    lines += ["when it acts as the butler. Inputs read, outputs have an effect.", ""]
    for channel in sorted({spec.channel for spec in registry.specs()}):
        lines += [f"## {channel}", "", "| tool | direction | asks | what it does |", "| --- | --- | --- | --- |"]
        for spec in (s for s in registry.specs() if s.channel == channel):
            when = asks(registry, spec)
            lines.append(f"| `{spec.tool_name}` | {spec.direction.value} | {when} | {spec.description} |")
        lines.append("")
    for spec in registry.specs():
        lines += [f"### `{spec.tool_name}`", "", "| argument | type | role |", "| --- | --- | --- |"]
        properties: dict[str, Any] = spec.args.model_json_schema().get("properties", {})
        roles = registry.metadata(spec.tool_name).args
        for name, schema in properties.items():
            lines.append(f"| `{name}` | {type_of(schema)} | {roles[name].value} |")
        lines.append("")
    return "\n".join(lines)


def settings_page() -> str:
    """Every setting, by section."""
    _registry, classes = offline_registry()
    lines = [
        "# Settings",
        NOTE,
        "`butler.toml`, with what holds when a setting is left out. `butler config check` says",
    ]
    lines += ["what is wrong in a file, `butler config show` what is in force.", ""]
    for name, field in Settings.model_fields.items():
        if name != "modules":
            lines += _section(name, field)
    for channel, kind in sorted(classes.items()):
        for identity, field in kind.settings_model.model_fields.items():
            lines += _section(f"modules.{channel}.{identity}", field)
    return "\n".join(lines)


def _section(name: str, field: FieldInfo) -> list[str]:
    model = next((part for part in _models(field.annotation)), None)
    if model is None:
        return []
    many = "tuple" in str(field.annotation)
    title = f"[[{name}]]" if many else f"[{name}]"
    # A docstring that starts with the section's title has its say after a colon, or none.
    said = (model.__doc__ or "").strip().removeprefix(f"`{title}`").lstrip(":. ")
    about = [said[:1].upper() + said[1:], ""] if said else []
    rows, nested = _rows(name, model)
    lines = [f"## `{title}`", "", *about, *rows, ""]
    for other in _models(field.annotation)[1:]:
        provider = next(iter(get_args(other.model_fields["provider"].annotation)))
        lines += [f'With `provider = "{provider}"`:', "", *_rows(name, other)[0], ""]
    return [*lines, *nested]


def _rows(name: str, model: type[BaseModel]) -> tuple[list[str], list[str]]:
    """A model's settings as a table, and the sections of those that are models themselves."""
    lines = ["| setting | when left out | what it means |", "| --- | --- | --- |"]
    nested: list[str] = []
    for field, part in model.model_fields.items():
        key = part.alias or field
        is_named = get_origin(part.annotation) is dict
        # Of sections by name, those are shown that have settings of their own; a further account has the first one's.
        if is_named and any(
            not model.model_fields.keys() >= one.model_fields.keys() for one in _models(part.annotation)
        ):
            nested += _section(f"{name}.{key}.NAME", part)
        if not is_named and _models(part.annotation):
            nested += _section(f"{name}.{key}", part)
        else:
            lines.append(f"| `{key}` | {_default(part)} | {(part.description or '').replace(chr(10), ' ')} |")
    return lines, nested


def _models(annotation: Any) -> list[type[BaseModel]]:
    parts = [annotation, *getattr(annotation, "__args__", ())]
    return [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "has to be set"
    value = field.default
    if value is PydanticUndefined or value is None or value in ((), "", {}):
        return "empty"
    if hasattr(value, "total_seconds"):
        return f"`{show_duration(value)}`"
    if hasattr(value, "start") and hasattr(value, "end"):
        return f"`{value.start:%H:%M}-{value.end:%H:%M}`"
    return f"`{str(value).lower() if isinstance(value, bool) else getattr(value, 'value', value)}`"


def commands_page() -> str:
    """Every command with its options."""
    lines = [
        "# Commands",
        NOTE,
        "Exit codes: 0 done, 1 refused or failed with one sentence on stderr, 2 wrong usage.",
        "",
    ]
    for path, command in _commands(typer.main.get_command(app), "butler"):
        lines += [f"## `{path}`", "", (command.help or "").strip(), ""]
        for parameter in command.params:
            argument = parameter.param_type_name == "argument"
            names = ", ".join([*parameter.opts, *parameter.secondary_opts])
            if argument:
                names = parameter.metavar or parameter.name.upper()
            said = getattr(parameter, "help", None) or ""
            variable = f" Also by `{parameter.envvar}` in the environment." if parameter.envvar else ""
            lines.append(f"- `{names}` ({'argument' if argument else 'option'}): {said}{variable}")
        lines.append("")
    return "\n".join(lines)


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    inner: dict[str, Any] = getattr(command, "commands", None) or {}
    if not inner or command.invoke_without_command:
        yield path, command
    for name, part in sorted(inner.items()):
        yield from _commands(part, f"{path} {name}")


PAGES = {"tools.md": tools_page, "settings.md": settings_page, "commands.md": commands_page}


def main() -> int:
    """Write the pages, or check that they are as the code says."""
    old: list[str] = []
    for name, page in PAGES.items():
        path, text = FOLDER / name, page().rstrip() + "\n"
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            old.append(name)
    if old:
        print(f"docs/reference: {', '.join(old)} is old; run python -m scripts.reference")  # noqa: T201 - a command
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
