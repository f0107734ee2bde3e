"""No code of the product compares a text that is said to somebody: what is compared is a code, an enum or a flag.

A text may change, and is said in several languages. Found are `==`, `!=`, `in` and `not in`, `match`, and methods such
as `startswith`, of: a call that says something, a name bound to `phrase(...)`, and a literal that a catalogue holds and
that has several words. A call that looks rows up by a text is not found: such rows have a code.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scripts.texts import ROOT, said_in, spoken_files, texts_of_tables

SAYING = frozenset({"say", "say_many", "say_error", "say_list", "phrase", "told", "in_words", "all_in_words"})
MATCHING = frozenset({"startswith", "endswith", "removeprefix", "removesuffix", "index", "find", "count"})
EXCEPTIONS: dict[str, str] = {
    "butler.orchestrator.embedded.server_looks: ERRORS_AND_WARNINGS": "the title that the same package gives a panel",
}
"""Places that may, each with why."""


@cache
def sentences() -> frozenset[str]:
    """The texts of several words."""
    said = [*(one for tree in trees().values() for one in said_in(tree)), *texts_of_tables()]
    texts = {text for one in said for text in ([one] if isinstance(one, str) else one)}
    return frozenset(text for text in texts if " " in text.strip())


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def trees() -> dict[str, ast.Module]:
    return {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in spoken_files()}


def is_saying(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING


def phrases_of(tree: ast.Module) -> frozenset[str]:
    """The names that a module binds to a text, or to a collection of texts."""
    found: set[str] = set()
    for node in tree.body:
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        if any(is_saying(part) or _is_name(part, found) for part in _parts(value)):
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)


def _parts(value: ast.expr) -> list[ast.expr]:
    """A value, or what a set, list or tuple of values holds; of a dictionary its keys, which are what is looked for."""
    match value:
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple"), args=[inner]):
            return _parts(inner)
        case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            return parts
        case ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case _:
            return [value]


def _is_name(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


@cache
def phrases(module: str) -> frozenset[str]:
    """The same of a module of the product."""
    return phrases_of(trees()[module])


def spoken_names(tree: ast.Module) -> frozenset[str]:
    """The same, with those that it imports."""
    found = set(phrases_of(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in trees():
            theirs = phrases(node.module)
            found |= {alias.asname or alias.name for alias in node.names if alias.name in theirs}
    return frozenset(found)


def compared(tree: ast.Module) -> Iterator[ast.expr]:
    """Whatever is compared with something else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from side.elts if isinstance(side, (ast.Set, ast.Tuple, ast.List)) else (side,)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MATCHING:
            yield from (node.func.value, *node.args)
        elif isinstance(node, ast.MatchValue):
            yield node.value


def found_in(module: str, tree: ast.Module) -> Iterator[str]:
    names = spoken_names(tree)
    for node in compared(tree):
        literal = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in sentences()
        if literal or is_saying(node) or (isinstance(node, ast.Name) and node.id in names):
            yield f"{module}: {ast.unparse(node)}"


def test_no_code_compares_a_text_that_is_said() -> None:
    found = {place for module, tree in trees().items() for place in found_in(module, tree)}
    assert found - EXCEPTIONS.keys() == set()
    assert EXCEPTIONS.keys() - found == set(), "an exception that nothing needs"


@pytest.mark.nightly
def test_the_check_finds_what_it_looks_for() -> None:
    code = """
from approvals.preview import NO_WORDS
MINE = phrase("it is gone")
OURS: Final = phrase("it is here")
a = detail == "no rule allows it"
b = say("gone") in reason
c = MINE != detail
d = row.detail.startswith(NO_WORDS)
e = detail in {"fine", "done"}
f = detail in {"fine", MINE}
g = look_again(connection, MINE)
h = detail == OURS
"""
    places = [place.removeprefix("approvals.nowhere: ") for place in found_in("approvals.nowhere", ast.parse(code))]
    assert places == ["'no rule allows it'", "say('gone')", "MINE", "NO_WORDS", "MINE", "OURS"]
