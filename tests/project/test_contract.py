"""The contract holds what authors of modules read: a module imports each part, or imports one that does.

What only Butler's own packages share lies with the lowest of them that uses it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = "butler.contract."
READERS = ("modules", "demo/butler_demo")


def imported(path: Path) -> Iterator[str]:
    """The parts of the contract that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        for name in (f"{node.module}.{alias.name}" for alias in node.names):
            if name.startswith(CONTRACT):
                yield name.removeprefix(CONTRACT).split(".")[0]


def parts() -> dict[str, Path]:
    """The files of the contract, by their names."""
    return {path.stem: path for path in (ROOT / "butler" / "contract").glob("*.py") if path.stem != "__init__"}


def reached() -> set[str]:
    """The parts that modules import, and the parts that those import."""
    files = parts()
    readers = (path for folder in READERS for path in (ROOT / folder).rglob("*.py"))
    waiting = {part for path in readers if "tests" not in path.parts for part in imported(path)}
    found: set[str] = set()
    while waiting:
        found.add(part := waiting.pop())
        waiting |= set(imported(files[part])) - found
    return found


def test_modules_read_everything_in_the_contract():
    assert sorted(parts().keys() - reached()) == []


def test_the_contract_holds_python_only():
    files = (path for path in (ROOT / "butler" / "contract").rglob("*") if path.is_file())
    assert [path.name for path in files if path.suffix not in {".py", ".pyc"}] == []
