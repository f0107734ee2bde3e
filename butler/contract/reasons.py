"""Why something asks, passes or is refused: a code with its values, which is what is stored and compared.

Whoever shows a reason words it, in the owner's language, at that moment: `approvals.reason_words`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ReasonCode(StrEnum):
    """What is the matter. The values are stored: a code that was ever released keeps its value."""

    WORDS = "words"
    """`text`: words of the owner's settings or of an error, or a sentence that a row from before the codes holds."""
    ACTS_AS_OWNER = "acts_as_owner"
    READS_PRIVATE = "reads_private"
    TOOL_ALWAYS_ASKS = "tool_always_asks"
    SETTINGS_ASK_FOR_TOOL = "settings_ask_for_tool"
    SETTINGS_ASK_FOR_OUTPUTS = "settings_ask_for_outputs"
    NO_RULE = "no_rule"
    CHANGED_BY_OWNER = "changed_by_owner"
    ASKED_BY_CARD = "asked_by_card"
    PAUSED = "paused"
    """`command`: what lifts the pause in the chat."""
    PAUSED_AT_MACHINE = "paused_at_machine"
    FORBIDDEN = "forbidden"
    """`tool` and `recipient`: the patterns of the settings."""
    LIMIT_OF_RECIPIENTS = "limit_of_recipients"
    """`count`, `limit`, `tool`."""
    LIMIT_PER_DAY = "limit_per_day"
    """`limit`, `tool`."""
    LIMIT_PER_RECIPIENT = "limit_per_recipient"
    """`to`, `limit`, `tool`."""
    STANDING_RULE = "standing_rule"
    """`number`."""
    COMES_FROM = "comes_from"
    """`arguments` and `sources`: lists."""
    NOBODY_CHOSE = "nobody_chose"
    """`arguments`: a list."""
    SET_GOING = "set_going"
    """`sources`: a list."""
    ONLY_READS = "only_reads"
    MODEL_CHOSE = "model_chose"
    MODEL_KNEW = "model_knew"
    """`sources`: a list, which may be empty."""
    ONLY_OWNER_SEES = "only_owner_sees"
    STRANGER = "stranger"
    ONE_STRANGER = "one_stranger"
    STRANGERS = "strangers"
    """`count`."""
    UNKNOWN_AUDIENCE = "unknown_audience"
    TO_KNOWN_PEOPLE = "to_known_people"
    NOT_LATER = "not_later"
    ARGUMENTS_DO_NOT_FIT = "arguments_do_not_fit"
    """`why`: what validation says."""
    CANNOT_BE_STORED = "cannot_be_stored"
    NO_WORDS = "no_words"
    TIME_OVER = "time_over"
    TIME_PASSED_BEFORE_YES = "time_passed_before_yes"
    MISSED_TIME = "missed_time"
    MISSED_SEND_NOW = "missed_send_now"
    UNCHECKED = "unchecked"
    RULE_EXCEEDED = "rule_exceeded"
    """`count`, `number`, `most`."""
    RULE_NEVER_FOUND = "rule_never_found"
    LOOKS_LIKE_INSTRUCTIONS = "looks_like_instructions"
    """`signs`: the kinds of signs, a list; from here on what the guardrails find."""
    HOLDS_PERSONAL = "holds_personal"
    """`kinds`: a list, as the two below."""
    HOLDS_SECRET = "holds_secret"  # noqa: S105 - a code
    HOLDS_OTHERS = "holds_others"
    LEADS_ELSEWHERE = "leads_elsewhere"
    HARMFUL_COMMANDS = "harmful_commands"
    WORDS_OF_HATE = "words_of_hate"
    PARTLY_WITHHELD = "partly_withheld"
    PARTLY_LOOKED_AT = "partly_looked_at"
    """`count`: of the characters that were looked at."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: its code, and the values that it has, as JSON."""

    code: ReasonCode
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])


def reason(code: ReasonCode, /, **params: Any) -> Reason:
    """A reason with its values."""
    return Reason(code, params)


def in_own_words(text: str) -> Reason:
    """The reason that a text gives which is not Butler's own, such as that of an entry of the settings."""
    return Reason(ReasonCode.WORDS, {"text": text})


def dump_reasons(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """Reasons as they are stored."""
    return [{"code": one.code.value, "params": dict(one.params)} for one in reasons]


def load_reasons(stored: Iterable[Any]) -> tuple[Reason, ...]:
    """Stored reasons; a sentence of a row from before the codes is kept as it is."""
    return tuple(
        in_own_words(one) if isinstance(one, str) else Reason(ReasonCode(one["code"]), one["params"]) for one in stored
    )
