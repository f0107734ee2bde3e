"""No constructor and no function takes a long list of parameters: what belongs together is a record.

Fields of records are not counted: they are given by name, and each has its line where the record is made.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("approvals", "butler", "config", "modules")
MOST_OF_A_CONSTRUCTOR, MOST = 7, 10
EXCUSED = {
    "butler/cli/commands/init.py: init": "Typer reads the options of a command from its parameters",
    "butler/contract/integration.py: method": "a method's description, each part given by name in one place",
    "butler/store/queries/waits.py: add": "the columns of a row",
    "modules/_accounts/google_notifications.py: FollowedAccount.__init__": "two callers, which name every argument",
}
"""Places that may take more, each with why."""


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many a caller may give."""
    args = function.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return len(named) - (named[:1] != [] and named[0].arg in {"self", "cls"})


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function with its name, behind that of its class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield within + node.name, node
        yield from functions(node, f"{node.name}." if isinstance(node, ast.ClassDef) else "")


@cache
def too_long() -> frozenset[str]:
    """Functions of the product that take more than they may."""
    found: set[str] = set()
    for package in PRODUCT:
        for path in (ROOT / package).rglob("*.py"):
            place = path.relative_to(ROOT).as_posix()
            if "/tests/" in place:
                continue
            for name, function in functions(ast.parse(path.read_text(encoding="utf-8"))):
                most = MOST_OF_A_CONSTRUCTOR if name.endswith("__init__") else MOST
                if parameters(function) > most:
                    found.add(f"{place}: {name}")
    return frozenset(found)


def test_no_function_takes_a_long_list_of_parameters():
    assert sorted(too_long() - EXCUSED.keys()) == []


@pytest.mark.nightly
def test_every_excuse_is_needed():
    assert sorted(EXCUSED.keys() - too_long()) == []
