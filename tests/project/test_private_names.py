"""Of the libraries, only public names are used: a private one may be gone, or mean something else, in any version.

Ruff's SLF001 refuses `thing._name`; here is what it does not see: private modules and names that are imported, names
given as texts, and what a subclass takes from the library's class through `self`.
"""

import ast
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("approvals", "butler", "config", "modules")
PRIVATE = re.compile(r"_(?!_)\w+")
_OCR = "RapidOCR loads its models with the first picture, and takes no settings for its sessions"
_IMAP = "aioimaplib has no public way to parse, answer and fail otherwise; its version is pinned"
_TELETHON = "Telethon offers nothing else to do it with; its version is pinned"
EXCUSED = {
    ("butler/agents/parser/ocr.py", "_load_det_model"): _OCR,
    ("butler/agents/parser/ocr.py", "_load_rec_model"): _OCR,
    (
        "modules/_accounts/google_client.py",
        "_conn_request",
    ): "httplib2 repeats what it sends, and cannot be told not to",
    ("modules/email/integration_imap_protocol.py", "_continuation"): _IMAP,
    ("modules/email/integration_imap_protocol.py", "_exception"): _IMAP,
    ("modules/email/integration_imap_protocol.py", "_handle_line"): _IMAP,
    ("modules/email/integration_imap_protocol.py", "_handle_responses"): _IMAP,
    ("modules/telegram/integration_client_connection.py", "_self_id"): _TELETHON,
    ("modules/telegram/integration_client_connection.py", "_update_loop"): _TELETHON,
    ("modules/telegram/integration_client_connection.py", "_updates_queue"): _TELETHON,
    ("modules/telegram/integration_client_login.py", "_switch_dc"): _TELETHON,
    ("modules/telegram/integration_client_session.py", "_entities_to_rows"): _TELETHON,
}
"""Where there is no public way, and why. One that the library no longer has is a finding, too."""
PINNED = {_IMAP: "aioimaplib==", _TELETHON: "telethon=="}


def sources() -> list[Path]:
    return sorted(path for name in OURS for path in (ROOT / name).rglob("*.py"))


@pytest.mark.nightly
def test_ruff_looks_for_private_names_and_every_excuse_is_listed_here() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert "ALL" in settings["select"]
    assert not {"SLF", "SLF001"} & set(settings["ignore"])
    lax = {place for place, rules in settings["per-file-ignores"].items() if {"SLF", "SLF001", "ALL"} & set(rules)}
    assert lax == {"**/tests/**", "tests/**"}
    excused = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources()
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"#\s*(noqa:.*\bSLF|noqa\s*$|ruff:\s*noqa.*(SLF|noqa\s*$))", line)
        for name in re.findall(r"\.(_(?!_)\w+)", line) or [line.strip()]
    }
    assert excused | found_in_ours() == set(EXCUSED)


def test_what_is_excused_by_a_pinned_version_is_pinned() -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert all(any(one.startswith(pin) for one in needed) for pin in PINNED.values())


@pytest.mark.nightly
def test_no_private_name_of_a_library_is_imported_named_or_inherited() -> None:
    assert found_in_ours() <= set(EXCUSED)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("from meilisearch._httprequests import HttpRequests", "meilisearch._httprequests"),
        ("import meilisearch._httprequests", "meilisearch._httprequests"),
        ("from aiohttp.client import _RequestContextManager", "_RequestContextManager"),
        ("def ask(client):\n    return getattr(client, '_session')", "_session"),
        ("import aiohttp\nclass A(aiohttp.ClientResponse):\n    def f(self):\n        return self._body", "_body"),
        ("from aiohttp import ClientResponse as C\nclass A(C):\n    def _cleanup_writer(self): ...", "_cleanup_writer"),
        (
            "import aiohttp\nclass A(aiohttp.ClientResponse): ...\nclass B(A):\n    def f(self): self._body = 1",
            "_body",
        ),
    ],
)
def test_a_private_name_is_found_wherever_it_stands(code: str, said: str) -> None:
    assert said in set(private_names(code))


@pytest.mark.parametrize(
    "code",
    [
        "from __future__ import annotations",
        "from butler._own import thing",
        "import aiohttp\nclass A(aiohttp.ClientResponse):\n    def f(self):\n        return self._of_our_own",
        "class A:\n    def f(self):\n        return self._body",
    ],
)
def test_names_of_our_own_are_none_of_a_library(code: str) -> None:
    assert list(private_names(code)) == []


@cache
def found_in_ours() -> frozenset[tuple[str, str]]:
    """The files and the private names in them that Ruff does not see."""
    return frozenset(
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources()
        for name in private_names(path.read_text(encoding="utf-8"))
    )


def private_names(code: str) -> Iterator[str]:
    """What of a library's own is used in a file."""
    tree = ast.parse(code)
    known = dict(_imported(tree))
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if not _is_ours(module):
                names = [module, *(alias.name for alias in node.names)]
            case ast.Import():
                names = [alias.name for alias in node.names if not _is_ours(alias.name)]
            case ast.Call(func=ast.Name(id="getattr" | "setattr" | "delattr"), args=[_, ast.Constant(str(name)), *_]):
                names = [name]
            case _:
                continue
        yield from (name for name in names if any(map(PRIVATE.fullmatch, name.split("."))))
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for made in classes.values():
        theirs = {name for base in _bases(made, classes, known) for name in _private_of(base)}
        yield from sorted(_taken(made) & theirs)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What a name stands for, such as `aiohttp` or `aiohttp.ClientResponse`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)


def _bases(made: ast.ClassDef, classes: dict[str, ast.ClassDef], known: dict[str, str]) -> Iterator[str]:
    """The libraries' classes that a class comes from, also through others of the same file."""
    for base in made.bases:
        head, *parts = ast.unparse(base).partition("[")[0].split(".")
        if head in classes and not parts and head != made.name:
            yield from _bases(classes[head], classes, known)
        elif head in known and not _is_ours(known[head]):
            yield ".".join([known[head], *parts])


def _is_ours(module: str) -> bool:
    head = module.partition(".")[0]
    return head in OURS or head in sys.stdlib_module_names


@cache
def _private_of(dotted: str) -> frozenset[str]:
    """The private names in the source of a library's class and of those that it comes from."""
    module, _, name = dotted.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        return frozenset()
    names: set[str] = set()
    for one in inspect.getmro(found) if inspect.isclass(found) else ():
        if not _is_ours(one.__module__):
            names |= {name for name in vars(one) if PRIVATE.fullmatch(name)}
            names |= set(re.findall(r"self\.(_(?!_)\w+)", _source(one)))
    return frozenset(names)


def _source(one: type) -> str:
    try:
        return inspect.getsource(one)
    except (OSError, TypeError):
        return ""


def _taken(made: ast.ClassDef) -> set[str]:
    """Private names that a class reads, sets or defines as its own."""
    taken = {
        node.attr
        for node in ast.walk(made)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
    }
    taken |= {node.name for node in made.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in taken if PRIVATE.fullmatch(name)}
