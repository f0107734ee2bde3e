"""The corpora of attacks and personal data beside the project, and the halves of the attacks.

The signs were written with the tuning half in view; the other half was never read, only counted. Texts of one group are
alike, so a group lies in one half as a whole.
"""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora lie beside the project and are not there")


@lru_cache(maxsize=2)
def texts_of(name: str) -> list[dict[str, Any]]:
    lines = (CORPORA / name / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def is_untouched(text: dict[str, Any]) -> bool:
    return hashlib.sha256(text["group"].encode()).digest()[0] % 2 == 1
