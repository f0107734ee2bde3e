"""A panel of which some queries failed: Grafana refuses it as a whole, with what the others gave in the refusal."""

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
        """What the others gave."""


def partly_answered(answer: HttpAnswer) -> IntegrationFault | None:
    """What a refusal holds; None where it holds nothing to be shown. Raises `IntegrationFault` for no set of frames."""
    given = cast("dict[str, Any]", answer.json) if isinstance(answer.json, dict) else {}
    if answer.status != _REFUSED or "results" not in given:
        return None
    told = read_as(w.Queried, given, "set of frames")
    return PartlyAnsweredFault(told) if any(one.frames for one in told.results.values()) else None
