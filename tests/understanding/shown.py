"""What was shown and said before a marked request: one thing, a list, and the owner's own words."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bench.understanding_scenes import NOW
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.said import Builder, Said
from butler.store.conversation import ConversationMessage, LastShown, Referent
from tests.understanding.marked import made, said, steps

Plan = list[tuple[str, dict[str, Any]]]
Planned = tuple[ReferentKind, str, str, str, tuple[int, ...], tuple[str, ...], Plan]
"""What was shown, the intent, the language, the marked request, how many were shown, what was said before, the plan."""
Asked = tuple[ReferentKind, str, str, str, tuple[int, ...], tuple[str, ...], str, list[str]]
"""The same with a question and its buttons."""


def planned(builders: dict[str, Builder], *scene: Any) -> Plan:
    """The plan of a request."""
    return steps(builders, _scene(*scene))


def buttons_of(builders: dict[str, Builder], *scene: Any) -> tuple[str, list[str]]:
    """The question that a request comes to, with its buttons; those that show a thing hold what is done to it."""
    asked = made(builders, _scene(*scene))
    assert isinstance(asked, Unclear)
    assert all(one.steps for one in asked.choices if one.label.startswith("The "))
    return asked.question, [one.label for one in asked.choices]


def _scene(
    kind: ReferentKind, intent: str, language: str, line: str, lists: tuple[int, ...], before: tuple[str, ...]
) -> Said:
    one = said(line, intent, language=language)
    one = after(one, kind, *lists) if lists else one
    return with_words(one, *before) if before else one


def after(one: Said, kind: ReferentKind, *lists: int) -> Said:
    """The request after things of a kind were shown: so many in each message, the newest last.

    Their handles are `reminder-1`, `reminder-2` and so on, in the order in which they were shown.
    """
    shown: list[Referent] = []
    for at, count in enumerate(lists):
        for n in range(1, count + 1):
            name = f"{kind.value}-{len(shown) + 1}"
            shown.append(
                Referent(
                    handle=name,
                    kind=kind,
                    key=name,
                    tool=f"user_{kind.value}_list",
                    ordinal=n if count > 1 else 0,
                    at=NOW - timedelta(minutes=20 - at),
                    shown_in=f"message-{at}",
                )
            )
    keys = tuple(str(n) for n in range(1, lists[-1] + 1))
    last = LastShown(kind=kind, count=lists[-1], keys=keys, after=shown[-1].handle)
    before = replace(one.scene.request, referents=tuple(shown), last_shown=last)
    return replace(one, scene=replace(one.scene, request=before))


def with_words(one: Said, *messages: str) -> Said:
    """The request after the owner's own words, the newest last."""
    history = tuple(
        ConversationMessage(role="user", content=text, timestamp=NOW - timedelta(minutes=len(messages) - at))
        for at, text in enumerate(messages)
    )
    return replace(one, scene=replace(one.scene, request=replace(one.scene.request, history=history)))
