"""Logs, with every secret cut out at the root: whoever logs it, and in whatever text it stands."""

import logging
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

import structlog

SHORTEST = 6
"""Shorter values would cut words out of every line."""
CUT = "•••"


class Redactor:
    """Replaces known secrets in any text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        self.add(secrets)

    def add(self, secrets: Iterable[str]) -> None:
        """Know more secrets."""
        known = {*self._secrets, *(s for s in secrets if len(s) >= SHORTEST)}
        self._secrets = sorted(known, key=len, reverse=True)

    def clean(self, text: str) -> str:
        """The text without any known secret."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, CUT)
        return text

    def clean_value(self, value: Any) -> Any:
        """The same for a value of a log line."""
        if isinstance(value, (int, float, bool, type(None))):
            return value
        return self.clean(value if isinstance(value, str) else str(value))

    def __call__(self, _logger: Any, _name: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {key: self.clean_value(value) for key, value in event.items()}


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
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
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
    # The libraries' own chatter is theirs; warnings are ours to see.
    root.setLevel(logging.WARNING)


def secret_values(secrets: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """The values that settings name as secrets, and their parts (a bot token's second half, a JSON's values)."""
    values = [secrets[name] for name in names if secrets.get(name)]
    return [*values, *(part for value in values if ":" in value and "{" not in value for part in value.split(":"))]
