"""Why a step failed, as its outcome keeps it: the codes of reasons, or the words of what failed."""

from collections.abc import Iterable, Mapping
from typing import Any

from approvals.reason_words import all_in_words, details_in_words, in_words
from butler.contract.errors import Refuse
from butler.contract.reasons import Reason, dump_reasons, in_own_words, load_reasons, of_error
from butler.contract.speech import say

_WHY = "why"


class StepRefusedError(Refuse):
    """This may not be done.

    A step of a plan cannot be done as it is planned; its outcome keeps `why`.
    """

    def __init__(self, why: Reason) -> None:
        super().__init__(in_words(why))
        self.why = why


def why_refused(error: Refuse) -> Reason:
    """Return why a step was refused."""
    if isinstance(error, StepRefusedError):
        return error.why
    return in_own_words(error.detail) if error.detail else of_error(error)


def because_of(reasons: Iterable[Reason]) -> dict[str, Any]:
    """Return the part of an outcome that keeps the reasons."""
    return {_WHY: dump_reasons(reasons)}


def why_of(outcome: Mapping[str, Any]) -> str:
    """Return why it failed, in the owner's language; empty if the outcome does not say."""
    if stored := outcome.get(_WHY):
        reasons = load_reasons(stored)
        return details_in_words(reasons) if "approval" in outcome else all_in_words(reasons)
    return say(str(outcome.get("message") or ""))
