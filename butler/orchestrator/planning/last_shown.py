"""Limits a bare reference ("the first one", "it") to what was shown last, and asks about anything older.

The handles of a plan, from any planner, are compared with what the owner was shown last, an empty list included.
"""

from butler.contract.names import Direction
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.planning.kind_words import NONE_THERE, NOTHING_THERE, bare, nouns
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.references import handles_in
from butler.store.conversation import LastShown, Referent

NOT_LAST = phrase("What I showed you last is something else, so I did nothing. Which one do you mean? Say what it is.")


def pointed(output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
    """Return the plan, or a question if it acts on something older than the owner can mean."""
    last = request.last_shown
    if not isinstance(output, Planned) or last is None or request.replied_to:
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
