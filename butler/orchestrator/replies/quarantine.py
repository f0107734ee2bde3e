"""Checks what others wrote before it is used; what reads like an attack is quarantined.

No language model is given quarantined text, and nothing that acts extracts anything from it. The owner is warned, sees
it unchanged, and is answered in its own sentences, so that a harmless text which only sounds like an attack stays
useful. What could not be checked is quarantined as well. No safety depends on this check.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import structlog

from butler.contract.agents import AgentFailure, PlanStep, RetrievedContext
from butler.contract.channel import Words
from butler.contract.errors import AgentErrorCode
from butler.contract.found_items import Item, items, key_of
from butler.contract.provenance import Trust
from butler.contract.reasons import Reason, ReasonCode, dump_reasons, in_own_words, reasons_of_text
from butler.contract.speech import phrase
from butler.contract.tools import ToolSpec
from butler.guardrails.guard import Guard, GuardrailsInput
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels, load

log = structlog.get_logger(__name__)

GUARD, SUSPECTS = "guard", "suspects"
"""The keys in an outcome for the check's results."""
_TEXTS = (
    *("title", "name", "subject", "from_name", "sender_name", "path"),
    *("text", "body", "content", "last_text", "snippet", "description"),
)
"""The keys of a record whose values its writer chose."""


class QuarantinedSourceError(StepRefusedError):
    """The text that a step would take something out of reads like an attack."""

    def __init__(self, failure: AgentFailure) -> None:
        super().__init__(in_own_words(failure.message))
        self.failure = failure
        """The failure as the guardrails report it."""


class Quarantine:
    """Asks the guard, if there is one, and decides what to quarantine."""

    def __init__(self, guard: Guard | None) -> None:
        self._guard = guard

    async def verdicts(self, spec: ToolSpec, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the verdicts on what a step found, for its outcome: how many were checked, and which are bad."""
        if self._guard is None or spec.about.words is Words.OWNER:
            return {}
        found = [one for item in items(data) if not _owners(load(item.data.get("origins") or ())) for one in _all(item)]
        suspects = await asyncio.to_thread(
            lambda: {one.key: dump_reasons(why) for one in found if (why := self._of_item(one))}
        )
        if suspects:
            log.warning("set_apart", code=AgentErrorCode.GUARDRAIL_INJECTION.value, things=len(suspects))
        return {GUARD: {"looked_at": len(found), SUSPECTS: suspects}}

    async def set_apart(self, steps: Iterable[PlanStep], chunks: Sequence[RetrievedContext]) -> frozenset[str]:
        """Return the quarantined sources of passages: by their steps' verdicts, or by the passages' own text."""
        known = {key for step in steps for key in suspects_of(step.outcome or {})}
        others = [chunk for chunk in chunks if chunk.source_id not in known and not _owners(frozenset(chunk.origins))]
        found = await asyncio.to_thread(
            lambda: {one.source_id for one in others if self._why(f"{one.title}\n{one.content}")}
        )
        return frozenset(known & {chunk.source_id for chunk in chunks} | found)

    async def nothing_bad(self, step: PlanStep, chunks: Sequence[RetrievedContext]) -> None:
        """Raise `QuarantinedSourceError` if an act would use quarantined text."""
        if await self.set_apart((step,), chunks):
            failure = injected(phrase("what it would be made of reads like instructions to an assistant"))
            log.warning("blocked", code=failure.error_code)
            raise QuarantinedSourceError(failure)

    def _of_item(self, item: Item) -> tuple[Reason, ...]:
        return reasons_of_text(str(item.data.get("suspicion") or "")) or self._why("\n".join(_texts(item.data)))

    def _why(self, text: str) -> tuple[Reason, ...]:
        """Return why a text is quarantined; empty for any other."""
        if self._guard is None or not text.strip():
            return ()
        try:
            verdict = self._guard.check(GuardrailsInput(content=text, check_type="input_validation"))
        except Exception:  # it is shown all the same; acts that would use it stop
            log.exception("guard_failed")
            return (Reason(ReasonCode.INPUT_UNCHECKED),)
        return verdict.found if verdict.risk_category == "injection" else ()


def injected(message: str) -> AgentFailure:
    """Return the failure for something not done because its source reads like an attack."""
    return AgentFailure(agent_id="guardrails", error_code=AgentErrorCode.GUARDRAIL_INJECTION, message=message)


def suspects_of(outcome: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the quarantined items of an outcome: their ids, with the reasons as they are stored."""
    judged = cast("Mapping[str, Any]", outcome.get(GUARD) or {})
    return cast("Mapping[str, Any]", judged.get(SUSPECTS) or {})


def _owners(labels: Labels) -> bool:
    return bool(labels) and all(origin.trust is Trust.OWNER for origin in labels)


def _all(item: Item) -> Iterator[Item]:
    """Yield an item, and each that came with it."""
    yield item
    for child in cast("list[Any]", item.data.get("children") or []):
        if isinstance(child, Mapping) and (key := key_of(record := cast("Mapping[str, Any]", child))):
            yield Item(key, record, None)


def _texts(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield a record's texts by others, with the names of its files."""
    for name in _TEXTS:
        if isinstance(value := data.get(name), str):
            yield value
    for name in ("attachments", "files"):
        for one in cast("list[Any]", data.get(name) or []):
            if isinstance(one, Mapping):
                yield from _texts(cast("Mapping[str, Any]", one))
