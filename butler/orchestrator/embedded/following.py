"""The answer to a question of the butler's, typed instead of tapped: a button's words, or the time that was missing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from butler.contract.provenance import Labelled
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.every import repeated_at
from butler.orchestrator.embedded.every_days import doubtful_at
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.when import spoken_at, spoken_at_end
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear

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
    answer = scene.request.words.value
    if "remind" not in before.casefold() or not _is_time(answer, scene):
        return None
    added = read(_saying(scene, f"{before.rstrip(' .!?')} {answer}"))
    if isinstance(added, Planned):
        return added
    anew = (read(_saying(scene, words)) for words in _with_other_time(before, answer, scene))
    return next((output for output in anew if isinstance(output, Planned)), added)


def _is_time(answer: str, scene: Scene) -> bool:
    """Whether the words are a time and nothing else, once or again and again."""
    said, now = lex(answer).bare(), scene.now()
    try:
        found = repeated_at(said, now) or spoken_at(said, now)
    except Asking:
        return False
    return found is not None and found[1].done


def _with_other_time(before: str, answer: str, scene: Scene) -> Iterator[str]:
    """The request with the answer where it said how often too vaguely, or in the place of the time at its end."""
    words = lex(before).bare()
    here = words
    while not here.done:
        if (after := doubtful_at(here)) is not None:
            yield f"{words.until(here).text} {answer} {after.text}"
        here = here.skip()
    if (end := spoken_at_end(words, scene.now())) is not None:
        yield f"{end[0].text} {answer}"


def _saying(scene: Scene, words: str) -> Scene:
    said = Labelled(value=words, origins=scene.request.words.origins)
    return replace(scene, request=replace(scene.request, words=said, history=()))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?")
