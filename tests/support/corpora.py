"""The test data of `tests/data`: mails, documents and texts. Its README says what each is and where it comes from."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
MAILS = DATA / "mails"
SIGNED_MAILS = DATA / "signed_mails"
DOCUMENTS = DATA / "documents"
INJECTIONS = DATA / "injections.jsonl"
PERSONAL_DATA = DATA / "personal_data.jsonl"
FORWARDED_MAILS = DATA / "forwarded_mails.jsonl"
REPLIES = DATA / "replies.jsonl"


def rows(path: Path) -> list[dict[str, Any]]:
    """The records of a file that has one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
