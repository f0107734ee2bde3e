"""Asks which conversation is meant if a name fits none or several, with a button for each candidate.

Titles are other people's words: buttons show them, made visible and cut, and no step acts on them. The step behind a
button finds the conversation anew, by its id.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from butler.contract.agents import PlanStep
from butler.contract.card import Rich, Span
from butler.contract.rendering import Offer, Rendered, StepResult
from butler.contract.speech import phrase, say, say_many
from butler.contract.visible import visible_line

FIND, HISTORY = "user_telegram_find_group", "user_telegram_get_message_history"
LONGEST_LABEL = 50
FROM_THE_STEP = ("to", "group")
"""The arguments of a send that the preceding step fills in."""
NO_GROUPS = phrase("You have no group on Telegram in which you may write, so I wrote to none.")


def which_group(shown: Sequence[StepResult]) -> Rendered | None:
    """Ask for each group that was not found; None if all were found, so that the cards say everything."""
    asked = [one for one in shown if one.spec.tool_name == FIND and one.ok and "to" not in one.data]
    if not asked:
        return None
    waiting = {one.step.step_id: _waiting(one, shown) for one in asked}
    questions = [_question(one) for one in asked]
    offers = tuple(offer for one in asked for offer in _offers(one, waiting[one.step.step_id]))
    steps = frozenset(waiting) | {send.step.step_id for sends in waiting.values() for send in sends}
    return Rendered(_text(*questions), " ".join(questions), offers, steps=steps)


def which_conversation(one: StepResult) -> Rendered | None:
    """Ask which conversation to read; None unless a name fits several."""
    choices = _choices(one)
    if one.spec.tool_name != HISTORY or not choices or not _called(one):
        return None
    question = say("Several conversations fit “{name}”. Which one do you mean?", name=_called(one))
    offers = tuple(
        Offer(_label(number, chat), steps=(_instead(one.step, 1, chat),), labels=frozenset())
        for number, chat in enumerate(choices, 1)
    )
    return Rendered(_text(question), question, offers)


def _waiting(found: StepResult, shown: Sequence[StepResult]) -> list[StepResult]:
    """Return the failed steps that wait for the group that `found` looks for."""
    return [one for one in shown if not one.ok and found.step.step_id in one.step.depends_on]


def _question(one: StepResult) -> str:
    if not _choices(one):
        return say(NO_GROUPS)
    if int(one.data.get("count") or 0):
        return say("Several groups fit “{name}”. Which one do you mean?", name=_called(one))
    return say("I find no group called “{name}”. Do you mean one of these?", name=_called(one))


def _offers(one: StepResult, waiting: Sequence[StepResult]) -> list[Offer]:
    """Return a button for each group: the same send to that group alone.

    Empty if no step waits for the group, or one needs another step's result.
    """
    if not waiting or any(map(_needs_more, waiting)):
        return []
    return [
        Offer(_label(number, chat), steps=_to(one.step, chat, waiting), labels=frozenset())
        for number, chat in enumerate(_choices(one), 1)
    ]


def _needs_more(send: StepResult) -> bool:
    others = {name: value for name, value in send.step.args.items() if name not in FROM_THE_STEP}
    return len(send.step.depends_on) > 1 or _refers(others)


def _refers(value: Any) -> bool:
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value)
        return bool({"step", "from"} & set(held)) or any(map(_refers, held.values()))
    return isinstance(value, list) and any(map(_refers, cast("list[Any]", value)))


def _to(found: PlanStep, chat: Mapping[str, Any], waiting: Sequence[StepResult]) -> tuple[PlanStep, ...]:
    """Return the steps that find a group by its id and send to it."""
    sends = [
        PlanStep(
            step_id=number,
            description=one.step.description,
            tool_call=one.step.tool_call,
            args={**one.step.args, **{name: {"step": 1, "fact": name} for name in FROM_THE_STEP}},
            depends_on=[1],
            not_before=one.step.not_before,
        )
        for number, one in enumerate(waiting, 2)
    ]
    return (_instead(found, 1, chat), *sends)


def _instead(step: PlanStep, number: int, chat: Mapping[str, Any]) -> PlanStep:
    """Return the step for one conversation, with its address in place of its name."""
    args = {name: value for name, value in step.args.items() if name != "called"} | {
        "chat": str(chat.get("address") or chat["id"])
    }
    return PlanStep(step_id=number, description=step.description, tool_call=step.tool_call, args=args)


def _choices(one: StepResult) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", one.data.get("choices") or [])


def _called(one: StepResult) -> str:
    """Return the owner's own name for the conversation."""
    names = one.step.args.get("called") or [""]
    return str(names if isinstance(names, str) else cast("list[Any]", names)[0])


def _label(number: int, chat: Mapping[str, Any]) -> str:
    title = visible_line(" ".join(str(chat["name"]).split())) or say("a group without a name")
    title = title if len(title) <= LONGEST_LABEL else f"{title[: LONGEST_LABEL - 1]}…"
    members = int(chat.get("members") or 0)
    many = f" ({say_many(members, '1 member', '{count} members')})" if members else ""
    return f"{number}. {title}{many}"


def _text(*lines: str) -> Rich:
    return (Span(text="\n".join(lines)),)
