"""Words reasons for a card, for `/why`, the command line and every other place that shows them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from approvals.arguments import argument_label
from butler.contract.bulk import NOT_SET_UP
from butler.contract.bulk_repeat import Recurrence
from butler.contract.reasons import Reason, ReasonCode, load_reasons, own_words
from butler.contract.speech import say, say_date, say_list, say_many, say_moment, say_number, spoken
from butler.contract.tables import table
from butler.guardrails.reasoning import GUARD_CODES, sentence
from butler.provenance import say_sources
from config.language import OwnerLanguage

_TABLE = table("approvals", "texts")
_TEXTS: Mapping[ReasonCode, str] = {
    ReasonCode.FAULT: "{kind}",
    ReasonCode.RUN_NOT_SET_UP: NOT_SET_UP,
    **{ReasonCode(code): text for code, text in _TABLE["reasons"].items()},
}
_ON_A_CARD: Mapping[ReasonCode, str] = {ReasonCode(code): text for code, text in _TABLE["card"].items()}
_RECIPIENTS: Mapping[ReasonCode, tuple[str, str]] = {
    ReasonCode(code): (alone, among) for code, (alone, among) in _TABLE["recipients"].items()
}
CALM = frozenset(
    {
        ReasonCode.ACTS_AS_OWNER,
        ReasonCode.READS_PRIVATE,
        ReasonCode.TOOL_ALWAYS_ASKS,
        ReasonCode.SETTINGS_ASK_FOR_TOOL,
        ReasonCode.SETTINGS_ASK_FOR_OUTPUTS,
        ReasonCode.NO_RULE,
        ReasonCode.CHANGED_BY_OWNER,
        ReasonCode.ASKED_BY_CARD,
        ReasonCode.ASKED_AGAIN,
    }
)
"""Reasons to ask that are not warnings."""


def in_words(one: Reason) -> str:
    """Return a reason in the owner's language, within a sentence."""
    if one.code in GUARD_CODES:
        plain = sentence(one).rstrip(".")
        # In other languages the text may begin with a noun, which keeps its capital.
        return plain[:1].lower() + plain[1:] if spoken() is OwnerLanguage.ENGLISH else plain
    if (worded := _WORDED.get(one.code)) is not None:
        return worded(one)
    values = dict(one.params)
    if (inner := values.pop("reasons", None)) is not None:
        values["why"] = details_in_words(load_reasons(inner))
    return say(_TEXTS[one.code], **values)


def all_in_words(reasons: Iterable[Reason]) -> str:
    """Return all reasons, separated by semicolons."""
    return "; ".join(map(in_words, reasons))


def details_in_words(reasons: Iterable[Reason]) -> str:
    """Return an act's outcome as sentences, one after another."""
    return " ".join(map(in_words, reasons))


def on_a_card(one: Reason) -> str:
    """Return a reason as a card words it."""
    return say(_ON_A_CARD[one.code]) if one.code in _ON_A_CARD else in_words(one)


def names_sources(one: Reason, argument: str, sources: Sequence[Any]) -> bool:
    """Return whether a reason already says that this argument comes from these sources."""
    if one.code is not ReasonCode.COMES_FROM or not sources:
        return False
    tool = one.params.get("tool", "")
    return argument_label(argument, tool) in _labels(one) and all(source in one.params["sources"] for source in sources)


def _labels(one: Reason) -> list[str]:
    """Return the arguments of a reason in words, each once; a reason of an earlier version does not name its tool."""
    tool = one.params.get("tool", "")
    return list(dict.fromkeys(argument_label(name, tool) for name in one.params["arguments"]))


def _error(one: Reason) -> str:
    # The catalogues may also have a detail of ours.
    sentence, detail = say(one.params["error"]), say(one.params["detail"])
    return f"{sentence.rstrip('.')}: {detail}" if detail else sentence


def _recipient(one: Reason) -> str:
    """Return how the recipient is known now, and how before."""
    alone, among = _RECIPIENTS[one.code]
    names = {
        name: one.params[name] or say("somebody without a name") for name in ("name", "before") if name in one.params
    }
    return say(alone if one.params["only"] else among, **names)


def _account_another(one: Reason) -> str:
    if one.params["shown"]:
        return say(
            "it would go through {account} by now, and was shown to go through {shown}",
            account=one.params["account"],
            shown=one.params["shown"],
        )
    return say(
        "it would go through {account} by now, and was shown to go through the only account there was",
        account=one.params["account"],
    )


def _begun_with(one: Reason) -> str:
    return say_many(
        one.params["count"], "It has begun with it.", "It has begun with all {count}; a message shows how far it is."
    )


def _rule_kept(one: Reason) -> str:
    days = Recurrence.model_validate(one.params["days"]).words()
    return say("It is rule {number} now, and is done {days}; /rules stops it.", number=one.params["number"], days=days)


def _by_rule(one: Reason) -> str:
    days = Recurrence.model_validate(one.params["days"]).words()
    return say("By your rule {number}, {days}.", number=one.params["number"], days=days)


def _due_before(one: Reason) -> str:
    at = say_moment(datetime.fromisoformat(one.params["at"]))
    return say("It was due on {at}, and is done late, once for all times that were missed.", at=at)


def _text_says_day(one: Reason) -> str:
    return say(_TEXTS[one.code], value=say_date(date.fromisoformat(one.params["date"])))


def _text_too_long(one: Reason) -> str:
    return say(_TEXTS[one.code], field=one.params["field"], most=say_number(one.params["most"]))


def _text_has_days(one: Reason) -> str:
    days = [say_date(date.fromisoformat(day)) for day in one.params["dates"]]
    return say(_TEXTS[one.code], these=say_list(days))


def _paused_at_machine(_one: Reason) -> str:
    return say(_TEXTS[ReasonCode.PAUSED], command=say("butler resume on the machine"))


def _comes_from(one: Reason) -> str:
    *first, last = _labels(one)
    sources = say_sources(one.params["sources"])
    if first:
        return say("{what} come from {sources}", what=say_list([*first, last]), sources=sources)
    return say("{what} comes from {sources}", what=last, sources=sources)


def _not_chosen(one: Reason) -> str:
    return say("nobody knows who chose {what}", what=say_list(_labels(one)))


def _set_going(one: Reason) -> str:
    return say("{sources} set it going", sources=say_sources(one.params["sources"]))


def _model_knew(one: Reason) -> str:
    sources = say_sources(one.params["sources"]) or say("what others wrote")
    return say("a language model chose this, and knew of {sources}", sources=sources)


def _rule_exceeded(one: Reason) -> str:
    return say_many(
        one.params["count"],
        "there is 1, and your rule {number} is for {most} at most each time",
        "there are {count}, and your rule {number} is for {most} at most each time",
        number=one.params["number"],
        most=say_number(one.params["most"]),
    )


_WORDED: Mapping[ReasonCode, Callable[[Reason], str]] = {
    ReasonCode.PAUSED_AT_MACHINE: _paused_at_machine,
    ReasonCode.TEXT_SAYS_DAY: _text_says_day,
    ReasonCode.TEXT_HAS_DAYS: _text_has_days,
    ReasonCode.TEXT_TOO_LONG: _text_too_long,
    ReasonCode.COMES_FROM: _comes_from,
    ReasonCode.NOBODY_CHOSE: _not_chosen,
    ReasonCode.SET_GOING: _set_going,
    ReasonCode.MODEL_KNEW: _model_knew,
    ReasonCode.RULE_EXCEEDED: _rule_exceeded,
    ReasonCode.WORDS: own_words,
    ReasonCode.ERROR: _error,
    ReasonCode.ACCOUNT_ANOTHER: _account_another,
    ReasonCode.BEGUN_WITH: _begun_with,
    ReasonCode.RULE_KEPT: _rule_kept,
    ReasonCode.BY_RULE: _by_rule,
    ReasonCode.DUE_BEFORE: _due_before,
    **dict.fromkeys(_RECIPIENTS, _recipient),
}
