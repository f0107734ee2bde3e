"""The documentation names everything there is, and leads nowhere that is not."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pydantic import BaseModel

from butler.cli.main import app
from butler.discovery import build_modules
from butler.offline import EXAMPLE, offline_context, offline_registry
from config.load import load
from config.settings import Settings
from scripts.reference import PAGES

pytestmark = pytest.mark.every_case


ROOT = Path(__file__).resolve().parent.parent.parent
REFERENCE = ROOT / "docs" / "reference"
PAPERS = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
OF_MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "modules").rglob("*.md"))
OF_OTHER_FILES = ("docs/decisions/", "docs/how-to/write-a-module", "CHANGELOG")
"""Pages that speak of files as they once were, or are still to be written."""
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def models_in(annotation: Any) -> list[type[BaseModel]]:
    if getattr(annotation, "__origin__", None) is dict:
        return []  # further tables by name, with settings that stand above them already
    parts = [annotation, *getattr(annotation, "__args__", ())]
    return [part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)]


def fields_of(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every setting below a model."""
    for attribute, field in model.model_fields.items():
        name = field.alias or attribute
        inner = models_in(field.annotation)
        if inner:
            for part in inner:
                yield from fields_of(part, (*path, name))
        else:
            yield (*path, name)


def settings() -> list[tuple[str, ...]]:
    _registry, classes = offline_registry()
    core = [path for path in fields_of(Settings) if path != ("modules",)]
    return core + [
        path for channel, kind in classes.items() for path in fields_of(kind.settings_model, ("modules", channel))
    ]


def commands(command: Any, path: str = "") -> Iterator[str]:
    """The full name of every command."""
    inner = getattr(command, "commands", None) or {}
    if path and (not inner or command.invoke_without_command):
        yield path
    for name, part in inner.items():
        yield from commands(part, f"{path} {name}".strip())


ALL_COMMANDS = sorted(commands(typer.main.get_command(app)))


def sections(page: str) -> dict[str, str]:
    """A page's text by heading, of any level."""
    parts = re.split(r"^#+ (.+)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_says_what_the_code_says(name):
    assert (REFERENCE / name).read_text() == PAGES[name]().rstrip() + "\n", "run python -m scripts.reference"


def test_every_tool_is_documented():
    registry, _classes = offline_registry()
    found = sections((REFERENCE / "tools.md").read_text())
    for spec in registry.specs():
        text = found[f"`{spec.tool_name}`"]
        missing = [name for name in spec.args.model_fields if f"`{name}`" not in text]
        assert missing == [], spec.tool_name


def test_every_setting_is_documented():
    found = sections((REFERENCE / "settings.md").read_text())
    missing = []
    for *table, name in settings():
        title = ".".join(table)
        text = found.get(f"`[{title}]`") or found.get(f"`[[{title}]]`") or ""
        if f"| `{name}` |" not in text:
            missing.append(f"{title}.{name}")
    assert missing == []


def test_every_setting_and_option_is_described():
    for page in ("settings.md", "commands.md"):
        bare = [line for line in (REFERENCE / page).read_text().splitlines() if re.search(r"\|  \|$|\): ?$", line)]
        assert bare == [], page


def test_every_command_is_documented():
    found = sections((REFERENCE / "commands.md").read_text())
    assert [name for name in ALL_COMMANDS if f"`butler {name}`" not in found] == []


def test_the_example_is_valid(tmp_path):
    path = tmp_path / "butler.toml"
    path.write_text(EXAMPLE.read_text())
    build_modules(load(path, {}).settings.modules, offline_context())


def test_the_example_has_every_setting():
    raw = tomllib.loads(EXAMPLE.read_text())

    def has(part: Any, path: tuple[str, ...]) -> bool:
        if not path:
            return True
        if isinstance(part, list):
            return any(has(one, path) for one in part)
        if not isinstance(part, dict):
            return False
        # A further account may be of another kind than the first one.
        further = part.get("accounts", {}).values()
        return (path[0] in part and has(part[path[0]], path[1:])) or any(has(account, path) for account in further)

    assert [".".join(path) for path in settings() if not has(raw, path)] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_no_link_is_dead(paper):
    text = re.sub(r"^```.*?^```", "", (ROOT / paper).read_text(), flags=re.MULTILINE | re.DOTALL)
    relative = [link.partition("#")[0] for link in LINK.findall(text) if not re.match(r"[a-z]+:|#", link)]
    assert [link for link in relative if not (ROOT / paper).parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_every_command_that_is_spoken_of_exists(paper):
    known = {*ALL_COMMANDS, *(name.split()[0] for name in ALL_COMMANDS)}
    spans = re.findall(r"`(butler [^`\n]+)`", (ROOT / paper).read_text())
    blocks = re.findall(r"^```\w*\n(.*?)^\s*```", (ROOT / paper).read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = spans + [line.strip() for block in blocks for line in block.splitlines()]
    said = [
        match[1] for line in lines if (match := re.match(r"(?:sudo -u butler )?(?:\S*/)?butler ([a-z][a-z -]*)", line))
    ]
    unknown = [words for words in said if not {words.split(" -")[0].strip(), words.split()[0]} & known]
    assert unknown == []


@cache
def python_files() -> frozenset[str]:
    """The Python files of the project, by their paths within it."""
    tops = ("approvals", "bench", "butler", "config", "demo", "modules", "scripts", "tests")
    return frozenset(path.relative_to(ROOT).as_posix() for top in tops for path in (ROOT / top).rglob("*.py"))


@pytest.mark.parametrize("paper", [one for one in (*PAPERS, *OF_MODULES) if not one.startswith(OF_OTHER_FILES)])
def test_the_python_files_that_are_named_exist(paper):
    known = python_files()
    named = set(re.findall(r"`([\w/]+\.py)`", (ROOT / paper).read_text()))
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in known)] == []


def test_a_reader_finds_every_page_from_the_index():
    index = (ROOT / "docs/README.md").read_text()
    pages = [p.removeprefix("docs/") for p in PAPERS if p.startswith("docs/") and not p.startswith("docs/decisions/")]
    assert [page for page in pages if page != "README.md" and f"]({page})" not in index] == []
