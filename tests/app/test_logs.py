"""Secrets are cut out of every line at the root, and a log that cannot be written stops nothing."""

import errno
import io
import json
import logging
import sys

import pytest
import structlog

from butler.logs import CUT, Redactor, secret_values, setup

TOKEN = "700123:a-token-that-nobody-may-see"
CONSENT = {"type": "authorized_user", "client_id": "butler", "client_secret": "GOCSPX-x1", "refresh_token": "1//0abc"}
SECRETS = {"TOKEN": TOKEN, "CONSENT": json.dumps(CONSENT), "EMPTY": "", "ADDRESS": "butler@home.example"}


@pytest.fixture
def log(monkeypatch):
    """What is written to stderr, with logs as they were afterwards."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    setup(Redactor(secret_values(SECRETS, ["TOKEN", "CONSENT", "EMPTY", "MISSING"])), level="DEBUG", json=True)
    yield stream
    root.handlers = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def fail(words):
    raise ValueError(words)


@pytest.mark.parametrize("secret", [TOKEN, TOKEN.split(":")[1], "GOCSPX-x1", "1//0abc"])
def test_a_secret_is_cut_out_of_words_values_and_exceptions_whoever_logs(log, secret):
    ours, theirs = structlog.get_logger("ours"), logging.getLogger("theirs")
    ours.info(f"to {secret}", url=f"https://api.example/bot{secret}/getMe", nested={"deep": [secret]})
    theirs.warning("to %s", secret)
    try:
        fail(f"no answer from {secret}")
    except ValueError:
        ours.error("failed", exc_info=True)
        theirs.exception("failed")
    assert secret not in log.getvalue()
    assert log.getvalue().count(CUT) >= 6
    assert len(log.getvalue().splitlines()) == 4


def test_what_is_no_secret_stays_as_it_is(log):
    structlog.get_logger().info("authorized_user", by="butler", address=SECRETS["ADDRESS"])
    assert CUT not in log.getvalue()


def test_the_libraries_own_chatter_stays_out_even_at_debug(log):
    logging.getLogger("httpx").info("HTTP Request: POST https://api.example/getMe")
    logging.getLogger("aiohttp").debug("connected")
    assert log.getvalue() == ""


def test_a_log_that_cannot_be_written_stops_nothing(log, monkeypatch):
    def full(_text):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(log, "write", full)
    structlog.get_logger().info("this line is lost")
    logging.getLogger("theirs").warning("and this one")
    monkeypatch.undo()
    logging.getLogger("theirs").warning("here again")
    assert "here again" in log.getvalue()
