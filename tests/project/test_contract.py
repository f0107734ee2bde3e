"""The contract holds what authors of modules read: a module imports each name, or one that needs it.

What only Butler's own packages share lies with the lowest of them that uses it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = "butler.contract."
TEMPLATES = ROOT / "butler" / "cli" / "new_module" / "templates" / "module"
BESIDE = {
    "tool_words.card_word": "what cards call an argument, which modules declare in their texts",
    "speech.speak": "sets what `spoken` returns, which modules read",
    "speech.prepare": "loads what `say` reads",
    "speech.say_error": "one of the ways in which texts are said, which lie together",
    "speech.say_short_date": "one of the formats of days, which lie together",
    "tool_words.action_first": "says what `action_of` says, at the beginning of a line",
    "door.running_dry": "sets what the door reads",
    "reasons.reason": "makes a record of the contract, as the two below",
    "reasons.of_error": "as above",
    "reasons.of_exception": "as above",
    "reasons.load_reasons": "the inverse of `dump_reasons`",
    "reasons.reasons_of_text": "the inverse of `reasons_to_text`",
}
"""Names that no module imports, with why they lie beside what modules do import."""

Name = tuple[str, str]
"""A part of the contract, and what it defines."""


def imported(text: str) -> dict[str, Name]:
    """What a file imports from the contract, by the name that it has there."""
    return {
        alias.asname or alias.name: (node.module.removeprefix(CONTRACT), alias.name)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith(CONTRACT)
        for alias in node.names
    }


def parts() -> dict[str, str]:
    """The texts of the contract's files, by their names."""
    files = (ROOT / "butler" / "contract").glob("*.py")
    return {path.stem: path.read_text(encoding="utf-8") for path in files if path.stem != "__init__"}


def defined(statement: ast.stmt) -> list[str]:
    """The names that a statement of a file defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def mentioned(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement needs, also in quoted annotations."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value


def needs() -> dict[Name, set[Name]]:
    """Every name of the contract, with those that its definition needs."""
    found: dict[Name, set[Name]] = {}
    for part, text in parts().items():
        names = imported(text)
        statements = ast.parse(text).body
        names |= {name: (part, name) for statement in statements for name in defined(statement)}
        for statement in statements:
            for name in defined(statement):
                needed = {names[one] for one in mentioned(statement) if one in names}
                found.setdefault((part, name), set()).update(needed)
    return found


def read_by_modules() -> Iterator[Name]:
    """What modules and the templates of new ones import."""
    for path in (ROOT / "modules").rglob("*.py"):
        if "tests" not in path.parts:
            yield from imported(path.read_text(encoding="utf-8")).values()
    for path in TEMPLATES.glob("*.jinja"):
        text = path.read_text(encoding="utf-8")
        lines = re.findall(r"^from butler\.contract\.\w+ import .+$", text, re.MULTILINE)
        yield from imported("\n".join(lines)).values()


def test_modules_read_every_name_in_the_contract():
    known = needs()
    waiting = {*read_by_modules(), *((part, name) for part, name in (one.split(".") for one in BESIDE))}
    found: set[Name] = set()
    while waiting:
        found.add(name := waiting.pop())
        waiting |= known.get(name, set()) - found
    assert sorted(f"{part}.{name}" for part, name in known.keys() - found if not name.startswith("__")) == []


def test_exceptions_are_read_by_no_module():
    assert {".".join(name) for name in read_by_modules()} & BESIDE.keys() == set()


def test_modules_import_names_and_no_whole_part():
    whole = re.compile(r"^(from butler\.contract import|import butler\.contract)", re.MULTILINE)
    files = [*(ROOT / "modules").rglob("*.py"), *TEMPLATES.glob("*.jinja")]
    assert [str(path) for path in files if whole.search(path.read_text(encoding="utf-8"))] == []


def test_the_contract_holds_python_only():
    files = (path for path in (ROOT / "butler" / "contract").rglob("*") if path.is_file())
    assert [path.name for path in files if path.suffix not in {".py", ".pyc"}] == []
