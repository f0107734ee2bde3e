import subprocess
import sys

import pytest

HEAVY = {
    *("aiohttp", "alembic", "babel", "cryptography", "jinja2", "lancedb", "modules", "numpy", "onnxruntime"),
    *("sqlalchemy", "telegram", "telethon"),
}
"""Without pydantic: typer parses the arguments of sub-commands with it."""
PROBE = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, sep="\\n", file=sys.stderr))
sys.argv[0] = "butler"
from butler.cli.start import main
main()
"""


@pytest.mark.parametrize("arguments", [["--help"], ["login", "--help"], ["approvals", "show", "--help"], []])
def test_help_imports_no_heavy_package(arguments):
    ended = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=False)
    assert "Usage: " in ended.stdout
    assert imported(ended.stderr) & HEAVY == set()


def test_the_list_of_commands_imports_no_pydantic():
    ended = subprocess.run([sys.executable, "-c", PROBE, "--help"], capture_output=True, text=True, check=False)
    assert "pydantic" not in imported(ended.stderr)


def test_completion_imports_no_heavy_package(monkeypatch):
    for name, value in {"_BUTLER_COMPLETE": "complete_bash", "COMP_WORDS": "butler appr", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    ended = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines()[0] == "approvals"
    assert imported(ended.stderr) & HEAVY == set()


def imported(modules: str) -> set[str]:
    return {line.partition(".")[0] for line in modules.splitlines()}
