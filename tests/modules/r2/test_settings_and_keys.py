"""Which server it is has to be said, and what a file is called there leads nowhere else."""

import pytest
from pydantic import ValidationError

from modules.r2.config import R2Settings
from modules.r2.keys import name_of, safe_key

ACCOUNT = "0123456789abcdef" * 2


def test_the_address_follows_from_the_account() -> None:
    settings = R2Settings(account_id=ACCOUNT, bucket="files")
    assert settings.url == f"https://{ACCOUNT}.r2.cloudflarestorage.com"
    assert R2Settings(endpoint="https://s3.home.example", bucket="files").url == "https://s3.home.example"


@pytest.mark.parametrize("which", [{}, {"account_id": ACCOUNT, "endpoint": "https://s3.home.example"}])
def test_a_server_is_said_once(which: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="set account_id, or endpoint"):
        R2Settings.model_validate({"bucket": "files", **which})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("papers/2026.pdf", "papers/2026.pdf"),
        ("/papers//2026.pdf/", "papers/2026.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("..\\..\\secret.txt", "secret.txt"),
        ("Übersicht März.pdf", "Übersicht März.pdf"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("a\x00b\nc", "a-b-c"),
        ("what? #1 <100%>", "what- -1 -100-"),
        ("...", ""),
        ("  ", ""),
        ("x" * 600, "x" * 500),
    ],
)
def test_a_key_shows_what_it_is_and_leads_nowhere_else(text: str, key: str) -> None:
    assert safe_key(text) == key
    assert safe_key(key) == key


def test_a_file_is_called_as_the_end_of_its_key() -> None:
    assert name_of("papers/2026.pdf") == "2026.pdf"
    assert name_of("papers/..") == "papers"
    assert name_of("//") == "file"
