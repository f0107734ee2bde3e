"""Logs with every secret removed at the root, from all loggers and texts."""

import contextlib
import json as jsonlib
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any, TextIO, cast

import structlog

SHORTEST = 6
"""Shorter values would remove words from every line."""
CUT = "•••"
SECRET_KEYS = frozenset({"client_secret", "private_key", "refresh_token", "token"})
"""Keys of the JSON of Google's sign-in."""
_OWN_KEYS = frozenset({"level", "timestamp"})
"""The keys that structlog itself adds."""
_MAY_BE_PERSONAL = re.compile(r"[@\d]")
"""Addresses and numbers have at least one of these; a log line's words have neither."""


class Redactor:
    """Replaces known secrets in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        self._mask: Callable[[str], str] | None = None
        self.add(secrets)

    def mask(self, mask: Callable[[str], str]) -> None:
        """Use this to remove personal data from every text too."""
        self._mask = mask

    def add(self, secrets: Iterable[str]) -> None:
        """Add secrets."""
        known = {*self._secrets, *(s for s in secrets if len(s) >= SHORTEST)}
        self._secrets = sorted(known, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """Return the text without known secrets, and without personal data if configured."""
        return self._without_people(self._without_secrets(text))

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, CUT)
        return text

    def _without_people(self, text: str) -> str:
        if self._mask is None or not _MAY_BE_PERSONAL.search(text):
            return text
        try:
            return self._mask(text)
        except Exception:  # noqa: BLE001 - a log cannot log what fails in it; what could not be looked at is not shown
            return CUT

    def clean_value(self, value: Any) -> Any:
        """Return a value of a log line, cleaned likewise."""
        if isinstance(value, (int, float, bool, type(None))):
            return value
        return self.clean(value if isinstance(value, str) else str(value))

    def __call__(self, _logger: Any, _name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {
            key: self._without_secrets(str(value)) if key in _OWN_KEYS else self.clean_value(value)
            for key, value in event.items()
        }


class SafeStream:
    """A stream on which a full disk or closed pipe costs a log line, never the work that was logged."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def setup(redactor: Redactor, *, level: str = "INFO", json: bool | None = None) -> None:
    """Send structlog and the standard library's logging to stderr, both through the redactor."""
    as_json = not sys.stderr.isatty() if json is None else json
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redactor,
    ]
    stream = cast("TextIO", SafeStream(sys.stderr))
    renderer = structlog.processors.JSONRenderer(ensure_ascii=False) if as_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared[:-1],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            redactor,
            renderer,
        ],
    )
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    # Drop the libraries' own messages, except warnings.
    root.setLevel(logging.WARNING)


def secret_values(secrets: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """Return the values that settings name as secrets, and their parts: a bot token's second half, a JSON's values."""
    values = [secrets[name] for name in names if secrets.get(name)]
    return [part for value in values for part in (value, *_parts(value))]


def _parts(value: str) -> list[str]:
    if not value.startswith("{"):
        return value.split(":")
    try:
        held: dict[str, Any] = jsonlib.loads(value)
    except ValueError:
        return []
    return [str(held[key]) for key in SECRET_KEYS & held.keys()]
