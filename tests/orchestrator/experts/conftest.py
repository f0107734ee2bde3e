"""What tests of experts have in common."""

from pathlib import Path

import pytest

from tests.orchestrator.experts.harness import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
