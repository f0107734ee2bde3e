"""A house for each test."""

from pathlib import Path

import pytest

from tests.adapters.contracts.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A house whose adapter is locked as 1.0.0."""
    made = House.at(tmp_path / "house")
    made.bump()
    return made
