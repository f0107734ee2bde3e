"""Limits a bare reference ("the first one", "it") to what was shown last, and asks about anything older.

The handles of a plan are compared with what the owner was shown last, an empty list included. A language model is told
of older handles too, and may choose one: its plan is only compared where the owner gives a place in a list.
"""

import re

from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.planning.kind_words import NONE_THERE, NOTHING_THERE, bare, nouns
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.references import handles_in
from butler.provenance import by_model
from butler.store.conversation import LastShown, Referent

NOT_LAST = phrase("What I showed you last is something else, so I did nothing. Which one do you mean? Say what it is.")

_PLACE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|last|latest|erste[nrs]?|zweite[nrs]?|dritte[nrs]?|vierte[nrs]?|fünfte[nrs]?|"
    r"letzte[nrs]?|premi(?:er|ère)s?|deuxième|second|seconde|troisième|quatrième|cinquième|derni(?:er|ère)s?|"
    r"primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|últim[oa])\b|"
    r"\b(?:number|no\.|nummer|nr\.|numéro|n°|número)\s*\d+|#\d+|\b\d+(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
"""A place in a list, which is one in the list that was shown last."""


def pointed(output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
    """Return the plan, or a question if it acts on something older than the owner can mean."""
    last = request.last_shown
    if not isinstance(output, Planned) or last is None or request.replied_to:
        return output
    if by_model(output.labels) and not _PLACE.search(request.words.value):
        return output
    acting = {spec.tool_name for spec in request.tools if spec.direction is Direction.OUTPUT}
    known = {one.handle: one for one in request.referents}
    for step in output.steps:
        for handle in handles_in(step.args):
            referent = known.get(handle)
            if referent is not None and not _is_meant(referent, last, request, acts=step.tool_call in acting):
                return Unclear(none_there(last.kind) if last.count == 0 else say(NOT_LAST))
    return output


def none_there(kind: ReferentKind) -> str:
    """Return the answer to a reference to an empty list of this kind."""
    return say(NONE_THERE.get(kind, NOTHING_THERE))


def _is_meant(referent: Referent, last: LastShown, request: PlannerInput, *, acts: bool) -> bool:
    """Return whether the words can mean this referent: it was shown last, or the words name it."""
    words = request.words.value.casefold()
    if referent.handle in words:
        return True
    if referent.kind is last.kind:
        return last.count != 0
    items = {bare(token.word) for token in lex(words).tokens}
    named = items & _nouns(referent, request) or _names_sender(referent, request, words)
    return bool(named) or (not acts and last.count != 0)


def _nouns(referent: Referent, request: PlannerInput) -> frozenset[str]:
    """Return the nouns for a referent: those of its kind, and the brands of its channel."""
    brands = next((spec.about.brands for spec in request.tools if spec.tool_name == referent.tool), ())
    return nouns(referent.kind) | frozenset(brands)


def _names_sender(referent: Referent, request: PlannerInput, words: str) -> bool:
    """Return whether the words name the referent's sender."""
    whose = next((one for one in request.contacts if one.contact_id == referent.contact_id), None)
    return whose is not None and any(alias.casefold() in words for alias in whose.aliases)
