"""What others wrote is looked at before anything is made of it; what reads like an attack is set apart.

Set apart means: no language model is given it, and nothing that acts takes anything out of it. The owner is told so,
sees it as it is, and is answered in its own sentences, so that a harmless text which only sounds like an attack stays
of use. What could not be looked at is set apart as well. No safety rests on it.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import structlog

from butler.contract.agent_ports import Guard
from butler.contract.agents import AgentFailure, GuardrailsInput, PlanStep, RetrievedContext
from butler.contract.channel import Words
from butler.contract.errors import AgentErrorCode, Refuse
from butler.contract.found_items import Item, items, key_of
from butler.contract.provenance import Trust
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.provenance import Labels, load

log = structlog.get_logger(__name__)

GUARD, SUSPECTS = "guard", "suspects"
"""The keys of an outcome under which stands what was found suspicious in it."""
UNCHECKED = phrase("It could not be looked at.")
_TEXTS = (
    *("title", "name", "subject", "from_name", "sender_name", "path"),
    *("text", "body", "content", "last_text", "snippet", "description"),
)
"""The keys under which a record has what its writer chose."""


class SetApartError(Refuse):
    """What a step would take something out of reads like an attack."""

    def __init__(self, failure: AgentFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure
        """As the guardrails give it."""


class Quarantine:
    """Asks the guard, where there is one, and says what is to be set apart."""

    def __init__(self, guard: Guard | None) -> None:
        self._guard = guard

    async def verdicts(self, spec: ToolSpec, data: Mapping[str, Any]) -> dict[str, Any]:
        """What is said of the things that a step has found, for its outcome: how many were looked at, which are bad."""
        if self._guard is None or spec.about.words is Words.OWNER:
            return {}
        found = [one for item in items(data) if not _owners(load(item.data.get("origins") or ())) for one in _all(item)]
        suspects = await asyncio.to_thread(lambda: {one.key: why for one in found if (why := self._of_item(one))})
        if suspects:
            log.warning("set_apart", code=AgentErrorCode.GUARDRAIL_INJECTION.value, things=len(suspects))
        return {GUARD: {"looked_at": len(found), SUSPECTS: suspects}}

    async def set_apart(self, steps: Iterable[PlanStep], chunks: Sequence[RetrievedContext]) -> frozenset[str]:
        """The sources of passages that are set apart: those of which the steps say so, and where a passage reads so."""
        known = {key for step in steps for key in suspects_of(step.outcome or {})}
        others = [chunk for chunk in chunks if chunk.source_id not in known and not _owners(frozenset(chunk.origins))]
        found = await asyncio.to_thread(
            lambda: {one.source_id for one in others if self._why(f"{one.title}\n{one.content}")}
        )
        return frozenset(known & {chunk.source_id for chunk in chunks} | found)

    async def nothing_bad(self, step: PlanStep, chunks: Sequence[RetrievedContext]) -> None:
        """Raise `SetApartError` where something that acts would be made of what is set apart."""
        if await self.set_apart((step,), chunks):
            failure = injected(say("what it would be made of reads like instructions to an assistant"))
            log.warning("blocked", code=failure.error_code)
            raise SetApartError(failure)

    def _of_item(self, item: Item) -> str:
        return str(item.data.get("suspicion") or "") or self._why("\n".join(_texts(item.data)))

    def _why(self, text: str) -> str:
        """Why a text is set apart; empty for any other."""
        if self._guard is None or not text.strip():
            return ""
        try:
            verdict = self._guard.check(GuardrailsInput(content=text, check_type="input_validation"))
        except Exception:  # it is shown all the same; what acts on it does not go on
            log.exception("guard_failed")
            return UNCHECKED
        return verdict.reasoning if verdict.risk_category == "injection" else ""


def injected(message: str) -> AgentFailure:
    """That something was not done, because what it would be made of reads like an attack."""
    return AgentFailure(agent_id="guardrails", error_code=AgentErrorCode.GUARDRAIL_INJECTION, message=message)


def suspects_of(outcome: Mapping[str, Any]) -> Mapping[str, str]:
    """The things of an outcome that are set apart, by their ids, with why."""
    judged = cast("Mapping[str, Any]", outcome.get(GUARD) or {})
    return cast("Mapping[str, str]", judged.get(SUSPECTS) or {})


def _owners(labels: Labels) -> bool:
    return bool(labels) and all(origin.trust is Trust.OWNER for origin in labels)


def _all(item: Item) -> Iterator[Item]:
    """A thing, and each that came with it."""
    yield item
    for child in cast("list[Any]", item.data.get("children") or []):
        if isinstance(child, Mapping) and (key := key_of(record := cast("Mapping[str, Any]", child))):
            yield Item(key, record, None)


def _texts(data: Mapping[str, Any]) -> Iterator[str]:
    """What a record has of somebody's words, with the names of its files."""
    for name in _TEXTS:
        if isinstance(value := data.get(name), str):
            yield value
    for name in ("attachments", "files"):
        for one in cast("list[Any]", data.get(name) or []):
            if isinstance(one, Mapping):
                yield from _texts(cast("Mapping[str, Any]", one))
