"""Maps each code of `AgentFailure` to what the owner reads and may tap, in one table.

A step's outcome keeps an agent's code beside the integration's own; the channels' failures are mapped to one. After any
failure, the steps that do not depend on it continue.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from butler.agents.memory.agent import FailureCause
from butler.contract.agents import AgentFailure, PlanStep
from butler.contract.errors import AGENT_CODE_OF, AgentErrorCode, IntegrationErrorCode
from butler.contract.integration import Idempotency, IntegrationError
from butler.contract.names import Direction
from butler.contract.rendering import Offer
from butler.contract.speech import say
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.references import steps_of
from butler.orchestrator.replies.offers import nothing
from butler.orchestrator.results.outcomes import why_of


class ExpectedAction(StrEnum):
    """What the orchestrator does about a code: the actions of seed 2's table, and some more."""

    BLOCK_AND_WARN = "block_and_warn"
    RETRY_STRICTER = "retry_stricter"
    ASK_CREDENTIALS = "ask_credentials"
    NOTIFY_AND_SKIP = "notify_and_skip"
    ASK_PASSWORD = "ask_password"  # noqa: S105 - an action, not a password
    BROADEN_OR_ASK = "broaden_or_ask"
    RETRY_OR_DONT_KNOW = "retry_or_dont_know"
    RETRY_ONCE = "retry_once"
    TRY_LATER = "try_later"


EXPECTED_ACTION: dict[AgentErrorCode, ExpectedAction] = {
    AgentErrorCode.GUARDRAIL_INJECTION: ExpectedAction.BLOCK_AND_WARN,
    AgentErrorCode.GUARDRAIL_UNSAFE: ExpectedAction.RETRY_STRICTER,
    AgentErrorCode.CONNECTOR_AUTH: ExpectedAction.ASK_CREDENTIALS,
    AgentErrorCode.CONNECTOR_NOT_FOUND: ExpectedAction.NOTIFY_AND_SKIP,
    AgentErrorCode.PARSER_ENCRYPTED: ExpectedAction.ASK_PASSWORD,
    AgentErrorCode.PARSER_UNSUPPORTED: ExpectedAction.NOTIFY_AND_SKIP,
    AgentErrorCode.MEMORY_NO_RESULTS: ExpectedAction.BROADEN_OR_ASK,
    AgentErrorCode.TAILOR_HALLUCINATION: ExpectedAction.RETRY_OR_DONT_KNOW,
    AgentErrorCode.TIMEOUT: ExpectedAction.RETRY_ONCE,
    AgentErrorCode.UNAVAILABLE: ExpectedAction.TRY_LATER,
    AgentErrorCode.REFUSED: ExpectedAction.NOTIFY_AND_SKIP,
}


SEARCH = "bot_memory_search"
LIST = "bot_memory_list"
PASSWORD = "password"  # noqa: S105 - the name of an argument
MANY = 10


@dataclass(frozen=True, slots=True)
class Advice:
    """The message to the owner about a failed step, and the offers to deal with it."""

    text: str
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """A step that failed."""

    step: PlanStep
    spec: ToolSpec
    what: str
    """What the step was to do, in words."""
    why: str
    """One sentence without its full stop."""
    told_by_agent: bool
    """Whether an agent gave the code itself."""


def agent_code(error: IntegrationError) -> AgentErrorCode | None:
    """Return the agents' code of a failure: their own if they gave one, else the one mapped from the integration's."""
    if error.provider_code in set(AgentErrorCode):
        return AgentErrorCode(error.provider_code)
    return AGENT_CODE_OF.get(error.code)


def outcome_of(error: IntegrationError) -> dict[str, Any]:
    """Return a failure as a step's outcome keeps it."""
    outcome = {"code": error.code.value, "message": error.message}
    if (code := agent_code(error)) is not None:
        outcome |= {"agent_code": code.value, "by_agent": error.provider_code == code}
    if error.cause:
        outcome["cause"] = error.cause
    return outcome


def outcome_of_agent(failure: AgentFailure) -> dict[str, Any]:
    """Return the part of a step's outcome that keeps an agent's failure."""
    return {"agent_code": failure.error_code, "by_agent": True}


def tried_again(spec: ToolSpec, error: IntegrationError | None) -> bool:
    """Return whether to repeat a call: it timed out, and it has no effect that could happen twice."""
    if error is None or spec.direction is not Direction.INPUT or spec.idempotency is not Idempotency.READ:
        return False
    # Calls of unreachable or rate-limiting providers were repeated at the door, and need a wait.
    return error.code is IntegrationErrorCode.TIMEOUT


def wants_password(spec: ToolSpec, outcome: Mapping[str, Any]) -> bool:
    """Return whether a step is to wait for the password of what it reads."""
    code = outcome.get("agent_code")
    asks = code in set(AgentErrorCode) and EXPECTED_ACTION[AgentErrorCode(code)] is ExpectedAction.ASK_PASSWORD
    return asks and PASSWORD in spec.args.model_fields


def advise(step: PlanStep, spec: ToolSpec, what: str) -> Advice | None:
    """Return the advice for a step that failed with a code of the table; None if its own words say it all."""
    outcome = step.outcome or {}
    code = outcome.get("agent_code")
    if outcome.get("ok") or code not in set(AgentErrorCode):
        return None
    why = (why_of(outcome) or say("it did not work")).rstrip(".")
    failed = Failed(step, spec, what, why, bool(outcome.get("by_agent")))
    return _TABLE[EXPECTED_ACTION[AgentErrorCode(code)]](failed)


def _block(failed: Failed) -> Advice | None:
    return Advice(
        say(
            "⛔ {what}: {why}. I did nothing with it, and whatever hung on it was left out.",
            what=failed.what,
            why=failed.why,
        )
    )


def _unsafe(failed: Failed) -> Advice | None:
    return Advice(say("⛔ {what}: {why}. I do not show it.", what=failed.what, why=failed.why))


def _credentials(failed: Failed) -> Advice | None:
    login = failed.spec.about.login
    if not login or "butler login" in failed.why:
        return _left_out(failed)
    values = {"what": failed.what, "why": failed.why, "command": login}
    if again := _again(failed, say("Try again")):
        text = say("🔑 {what}: {why}. Run `{command}` to sign in again, then tap Try again; or leave it out.", **values)
        return Advice(text, (*again, nothing()))
    return Advice(say("🔑 {what}: {why}. Run `{command}` to sign in again, then ask me again.", **values))


def _notify(failed: Failed) -> Advice | None:
    # What a mailbox or a chat does not hold is reported as nothing found.
    return _left_out(failed)


def _left_out(failed: Failed) -> Advice | None:
    if not failed.told_by_agent:
        return None
    return Advice(say("❌ {what}: {why}. I left it out.", what=failed.what, why=failed.why))


def _password(failed: Failed) -> Advice | None:
    text = say("🔒 {what}: {why}. I left it out.", what=failed.what, why=failed.why)
    return Advice(text, _again(failed, say("I have the password")))


def _broaden(failed: Failed) -> Advice | None:
    return Advice(say("I found nothing about that: {why}.", why=failed.why), broadened(failed.step, failed.spec))


def _unknown(failed: Failed) -> Advice | None:
    return Advice(say("I don't know: {why}.", why=failed.why), broadened(failed.step, failed.spec))


def _late(failed: Failed) -> Advice | None:
    if failed.spec.direction is not Direction.INPUT:
        return None
    return Advice(f"❌ {failed.what}: {failed.why}.", _again(failed, say("Try again")))


_TABLE: dict[ExpectedAction, Callable[[Failed], Advice | None]] = {
    ExpectedAction.BLOCK_AND_WARN: _block,
    ExpectedAction.RETRY_STRICTER: _unsafe,
    ExpectedAction.ASK_CREDENTIALS: _credentials,
    ExpectedAction.NOTIFY_AND_SKIP: _notify,
    ExpectedAction.ASK_PASSWORD: _password,
    ExpectedAction.BROADEN_OR_ASK: _broaden,
    ExpectedAction.RETRY_OR_DONT_KNOW: _unknown,
    ExpectedAction.RETRY_ONCE: _late,
    ExpectedAction.TRY_LATER: _late,
}


def broadened(step: PlanStep, spec: ToolSpec) -> tuple[Offer, ...]:
    """Offer a wider search: without the narrowing arguments, or else a list of what memory holds.

    Nothing if memory is empty: then no search can find anything.
    """
    if spec.tool_name != SEARCH or (step.outcome or {}).get("cause") == FailureCause.MEMORY_EMPTY:
        return ()
    if step.args.get("broad"):
        return (Offer(say("What do you remember?"), steps=(alone(step, LIST, {}),)),)
    wider = {"question": step.args.get("question"), "limit": MANY, "broad": True}
    return (Offer(say("Search more widely"), steps=(alone(step, SEARCH, wider),)),)


def _again(failed: Failed, label: str) -> tuple[Offer, ...]:
    """Offer the same read again, unless it depends on another step's result. An act is planned anew instead."""
    step = failed.step
    if failed.spec.direction is not Direction.INPUT or refers(step.args):
        return ()
    return (Offer(label, steps=(alone(step, step.tool_call, step.args),)),)


def alone(step: PlanStep, tool: str, args: Mapping[str, Any]) -> PlanStep:
    """Return a step for the same in a plan of its own."""
    return PlanStep(step_id=1, description=step.description, tool_call=tool, args=dict(args))


def refers(value: Any) -> bool:
    """Return whether an argument refers to another step."""
    return any(True for _ in steps_of(value))
