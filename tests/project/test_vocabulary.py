"""Files, classes, functions and arguments are named by docs/glossary.md, without the words that it rules out."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULED_OUT = {
    "chores", "desk", "emitting", "flood", "floods", "hands", "happenings", "house", "household", "shelf",
    "sieve", "tidings", "twin", "twins", "veil",
}  # fmt: skip
WORD = re.compile(r"[A-Z]?[a-z]+")


def named(root: Path) -> dict[str, str]:
    """Every name of a file, class, function or argument, with where it stands."""
    found: dict[str, str] = {}
    for top in ("approvals", "butler", "config", "modules"):
        for path in (root / top).rglob("*.py"):
            where = str(path.relative_to(root))
            found[path.stem] = where
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                match node:
                    case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                        found[name] = where
                    case ast.arg(arg=name):
                        found[name] = where
                    case _:
                        pass
    return found


def words(name: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(name)}


def test_no_file_and_no_class_is_named_by_a_word_that_the_glossary_rules_out():
    assert {name: where for name, where in named(ROOT).items() if words(name) & RULED_OUT} == {}


@pytest.mark.parametrize("name", ["TapDesk", "wait_hands", "DayHouse", "floods"])
def test_such_a_name_is_found(name: str):
    assert words(name) & RULED_OUT


def test_the_glossary_names_what_is_ruled_out():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## Words that are not used")[2]
    assert words(page) >= {"house", "desk", "hands", "veil", "flood", "twin", "shelf", "sieve", "chores"}
