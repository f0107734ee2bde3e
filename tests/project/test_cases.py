"""The page of known faults tells the truth: each test that it names is there, under the fault's id."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([A-Z]{2})-(\d+) \| .+ \| (.+) \|$")


def test_every_fault_that_is_said_to_be_held_has_a_test_of_its_id():
    missing: list[str] = []
    rows = [m for line in (ROOT / "docs" / "cases.md").read_text().splitlines() if (m := ROW.match(line))]
    assert len(rows) == 104
    for area, number, held in (row.groups() for row in rows):
        paths = re.findall(r"`([^`]+)`", held)
        if not paths:
            missing.append(f"{area}-{number} without a test")
        for path in paths:
            pattern = rf"def test_\w*{area.lower()}_?{number}(?!\d)|def test_{area.lower()}_[\d_]*{number}(?!\d)"
            if not re.search(pattern, (ROOT / path).read_text()):
                missing.append(f"{area}-{number} in {path}")
    assert missing == []
