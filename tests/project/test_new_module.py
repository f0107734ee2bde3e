"""`butler new-module`, and the page that walks through one: what it says is done here, line by line, in a copy."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from butler.cli.new_module.scaffold import Scaffold, new_module
from butler.contract.errors import Refuse

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "how-to" / "write-a-module.md"
COPIED = ("approvals", "butler", "config", "docs", "modules", "scripts", "tests", "pyproject.toml")
HELD = "tests/project/test_conformance.py tests/project/test_tool_descriptions.py"
BUTLER = "from butler.cli.start import main; main()"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a module's author has."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


async def run(checkout: Path, *line: str) -> tuple[int, str]:
    """A line of the page, whole or word by word; `butler` and `python` are those of the copy."""
    first, *rest = line[0].split() if len(line) == 1 else line
    command = ["-c", BUTLER, *rest] if first == "butler" else rest
    assert first in {"butler", "python"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *command),
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


def put_into(checkout: Path, block: str) -> None:
    """A field behind the last one of its class, or a line in place of the one that begins alike."""
    if block.startswith("    sort:"):
        path, after = checkout / "modules/shelves/records.py", "    limit: int"
        lines = path.read_text().splitlines(keepends=True)
        at = next(number for number, line in enumerate(lines) if line.startswith(after))
        path.write_text("".join([*lines[: at + 1], block, *lines[at + 1 :]]))
    else:
        path, start = checkout / "modules/shelves/module.py", block.split(" = ", maxsplit=1)[0]
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(block if line.startswith(f"{start} = ") else line for line in lines))


@pytest.mark.nightly
@pytest.mark.timeout(400)
async def test_a_module_is_made_locked_proven_and_changed_as_the_page_says(checkout: Path):
    refused = ""
    for kind, block in BLOCK.findall(PAGE.read_text()):
        if kind == "python":
            put_into(checkout, block)
            continue
        if (
            block.startswith("butler contracts bump")
            and "sort: str" in (checkout / "modules/shelves/records.py").read_text()
        ):
            _, refused = await run(checkout, "butler contracts check")
        for line in block.strip().splitlines():
            code, said = await run(checkout, line)
            assert code == 0, f"{line}\n{said}"
            if "pytest" in line:
                assert re.search(r"\b[1-9]\d* passed", said)
                assert "skipped" not in said
    assert "shelves" in refused
    assert "additive" in refused
    assert '"version": "1.1.0"' in (checkout / "modules/shelves/contract.json").read_text()


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.parametrize("whole", [False, True], ids=["proven", "and documented"])
async def test_every_kind_of_module_passes_at_once(checkout: Path, whole: bool):
    kinds = (Scaffold("plain"), Scaffold("crates", bulk=True), Scaffold("far", adapter=True))
    for kind in kinds:
        assert kind.name in new_module(checkout, kind)
    assert (await run(checkout, "butler contracts bump far"))[0] == 0
    folders = " ".join(f"tests/modules/{kind.name}" for kind in kinds)
    names = " or ".join(kind.name for kind in kinds)
    chosen = (*f"python -m pytest -q {folders} {HELD} -k".split(), names)
    code, said = await run(checkout, *chosen)
    assert code == 0, said
    if not whole:
        return
    assert (await run(checkout, "python -m scripts.reference"))[0] == 0
    settings = ["python", "-m", "pytest", "-q", "tests/project/test_docs.py", "-k"]
    code, said = await run(checkout, *settings, "setting or reference")
    assert code == 0, said
    written = " ".join(f"modules/{kind.name} tests/modules/{kind.name}" for kind in kinds)
    for look in ("check", "format --check"):
        code, said = await run(checkout, *f"python -m ruff {look} {written}".split())
        assert code == 0, said


@pytest.mark.parametrize(
    "name", ["Weather", "x", "two words", "../etc", "class", "email", "a" * 17, "1st", "user", "bulk"]
)
def test_a_name_that_will_not_do_is_refused_in_one_sentence(tmp_path: Path, name: str):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "modules" / "email").mkdir(parents=True)
    with pytest.raises(Refuse, match="module"):
        new_module(tmp_path, Scaffold(name))
    assert [path.name for path in (tmp_path / "modules").iterdir()] == ["email"]


def test_no_file_that_is_there_is_written_over(tmp_path: Path):
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "modules").mkdir()
    there = tmp_path / "tests" / "bulk" / "subjects" / "shelf.py"
    there.parent.mkdir(parents=True)
    there.write_text("mine")
    with pytest.raises(Refuse, match=r"subjects/shelf\.py is there already"):
        new_module(tmp_path, Scaffold("shelf", bulk=True))
    assert there.read_text() == "mine"
    assert list((tmp_path / "modules").iterdir()) == []


def test_it_is_made_in_a_checkout_only(tmp_path: Path):
    with pytest.raises(Refuse, match="checkout"):
        new_module(tmp_path, Scaffold("weather"))
