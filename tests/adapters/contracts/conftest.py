"""A project for each test."""

from pathlib import Path

import pytest

from tests.adapters.contracts.harness import Harness


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    """A project whose adapter is locked as 1.0.0."""
    made = Harness.at(tmp_path / "house")
    made.bump()
    return made
