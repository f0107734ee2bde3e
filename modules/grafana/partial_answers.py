"""Handles panels of which some queries failed: Grafana's refusal then holds the results of the other queries."""

from typing import Any, cast

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from modules._remote.http import SENTENCES, HttpAnswer, read_as
from modules.grafana import wire as w

_REFUSED = 400


class PartlyAnsweredFault(IntegrationFault):
    """Some of the queries failed."""

    def __init__(self, told: w.Queried) -> None:
        code = IntegrationErrorCode.INVALID_INPUT
        super().__init__(code, SENTENCES[code], http_status=_REFUSED)
        self.told = told
        """The results of the other queries."""


def partly_answered(answer: HttpAnswer) -> IntegrationFault | None:
    """Return the results in a refusal; None if it holds none. Raise `IntegrationFault` if they cannot be parsed."""
    given = cast("dict[str, Any]", answer.json) if isinstance(answer.json, dict) else {}
    if answer.status != _REFUSED or "results" not in given:
        return None
    queried = read_as(w.Queried, given, "set of frames")
    return PartlyAnsweredFault(queried) if any(one.frames for one in queried.results.values()) else None
