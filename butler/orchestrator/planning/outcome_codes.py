"""What the codes of failed steps mean to whoever plans further, told only of the codes that there are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from butler.orchestrator.planning.planner_view import Fact, FactName

_NOTHING: Final = "nothing fits; look by other words or elsewhere once, else end there"
_SIGN_IN: Final = "the account does not let the butler; end there, the owner is told how to sign in"
_LATER: Final = "out of reach for now; end there"
_FAULT: Final = "a fault that no other try mends; end there"
_UNREADABLE: Final = "its text cannot be read; end there"
_HELD: Final = "held back as unsafe; end there"

MEANINGS: Final[Mapping[str, str]] = {
    "NOT_FOUND": _NOTHING,
    "ERR_CONNECTOR_NOT_FOUND": _NOTHING,
    "ERR_MEMORY_NO_RESULTS": _NOTHING,
    "INVALID_INPUT": "the arguments do not fit; give others",
    "REFUSED": "not carried out as planned; plan it otherwise, or ask for what is missing",
    "REJECTED": "the service refused it; do not repeat it",
    "ERR_REFUSED": "refused for good; do not repeat it",
    "CONFLICT": "it has changed meanwhile; look at it again first",
    "DENIED": "the owner said no; leave it",
    "EXPIRED": "the owner did not answer; leave it",
    "SKIPPED": "an earlier step that it needs did not work",
    "NOT_NEEDED": "its condition did not hold; nothing is missing",
    "AUTH_REQUIRED": _SIGN_IN,
    "FORBIDDEN": _SIGN_IN,
    "ERR_CONNECTOR_AUTH": _SIGN_IN,
    "TIMEOUT": _LATER,
    "UNAVAILABLE": _LATER,
    "RATE_LIMITED": _LATER,
    "ERR_TIMEOUT": _LATER,
    "ERR_UNAVAILABLE": _LATER,
    "ERR_PARSER_ENCRYPTED": _UNREADABLE,
    "ERR_PARSER_UNSUPPORTED": _UNREADABLE,
    "ERR_GUARDRAIL_INJECTION": _HELD,
    "ERR_GUARDRAIL_UNSAFE": _HELD,
    "ERR_TAILOR_HALLUCINATION": "no answer to `ask` that its source bears out; end there",
    "INVALID_OUTPUT": _FAULT,
    "UNKNOWN_METHOD": _FAULT,
    "CONTRACT": _FAULT,
    "INTERNAL": _FAULT,
    "FAILED": _FAULT,
}


def meanings_of(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield a line for each code of a step that did not end well; codes of the same meaning share one."""
    codes: dict[str, list[str]] = {}
    for fact in facts:
        if fact.name is FactName.OUTCOME and (meaning := MEANINGS.get(str(fact.value))):
            codes.setdefault(meaning, []).append(str(fact.value))
    for meaning, listed in codes.items():
        yield f"{', '.join(dict.fromkeys(listed))}: {meaning}"
