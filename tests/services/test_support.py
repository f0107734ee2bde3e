"""A service that cannot be had is a skip with a reason, and a failure where the suite must be whole."""

import os
from pathlib import Path

import pytest
from _pytest.outcomes import Failed, Skipped

from tests.services.dovecot import Dovecot
from tests.services.support import Foreground, need_binary


def test_a_missing_program_skips_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUTLER_REQUIRE_SERVICES", raising=False)
    with pytest.raises(Skipped, match=r"no-such-program is not installed; run scripts/install-services\.sh"):
        need_binary("no-such-program")


def test_a_missing_program_fails_where_services_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUTLER_REQUIRE_SERVICES", "1")
    with pytest.raises(Failed, match="no-such-program is not installed"):
        need_binary("no-such-program")


def test_without_root_a_server_that_needs_it_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUTLER_REQUIRE_SERVICES", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(Skipped, match="Dovecot needs root to start"):
        Dovecot()


def test_a_server_that_ends_at_once_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    server = Foreground(["/bin/sh", "-c", "echo no such option; exit 1"], tmp_path / "log")
    with pytest.raises(RuntimeError, match="no such option"):
        server.wait_ready(lambda: False)
