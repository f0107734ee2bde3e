"""The answer to a question of the butler's, typed instead of tapped: a button's words, or the time that was missing."""

import re
from collections.abc import Callable
from dataclasses import replace

from butler.contract.provenance import Labelled
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.when import spoken_at
from butler.orchestrator.planning import PlannerOutput, Unclear

Read = Callable[[Scene], PlannerOutput | None]


def follow_up(scene: Scene, read: Read) -> PlannerOutput | None:
    """Read words that answer the question asked just before; None where there was none or they do not answer it."""
    history = scene.request.history
    if len(history) < 2 or (history[-2].role, history[-1].role) != ("user", "assistant"):  # noqa: PLR2004 - a pair
        return None
    before = history[-2].content
    asked = read(_saying(scene, before))
    if not isinstance(asked, Unclear) or asked.question != history[-1].content:
        return None
    said = _plain(scene.request.words.value)
    chosen = [c.words for c in asked.choices if said in {_plain(c.label), _plain(re.split(r"[:(]", c.label)[0])}]
    if len(chosen) == 1:
        return read(_saying(scene, chosen[0]))
    time = spoken_at(lex(scene.request.words.value).bare(), scene.now())
    if time is not None and time[1].done and "remind" in before.casefold():
        return read(_saying(scene, f"{before.rstrip(' .!?')} {scene.request.words.value}"))
    return None


def _saying(scene: Scene, words: str) -> Scene:
    said = Labelled(value=words, origins=scene.request.words.origins)
    return replace(scene, request=replace(scene.request, words=said, history=()))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?")
