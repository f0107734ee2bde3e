"""What all tests of models share."""

import ssl
from functools import cache

import pytest

_CONTEXT = cache(ssl.create_default_context)


@pytest.fixture(autouse=True)
def certificates_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client reads all of the machine's certificates anew, though none of these servers has one."""
    monkeypatch.setattr(ssl, "create_default_context", _CONTEXT)
