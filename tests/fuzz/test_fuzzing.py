"""Each target holds for about a second of inputs, the same in each run; `make fuzz` looks for new ones."""

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.support.nightly import every_nth

TARGETS = sorted(path.stem for path in Path(__file__).parent.glob("fuzz_*.py"))
ENGINES = ("chance", "atheris")


@pytest.mark.parametrize(("name", "engine"), every_nth([pytest.param(*one) for one in product(TARGETS, ENGINES)], 3))
def test_no_input_makes_it_crash_or_hang(name: str, engine: str) -> None:
    if engine == "atheris":
        pytest.importorskip("atheris", reason="atheris is not there for this system")
    command = [sys.executable, "-m", f"tests.fuzz.{name}", "--seconds", "1", "--engine", engine, "--seed", "1"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, cwd=root, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
