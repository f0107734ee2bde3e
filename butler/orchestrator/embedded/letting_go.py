"""`Forget that`: what was kept just before, or what an answer was taken from, and nothing else."""

from butler.contract.provenance import Trust
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import lex, phrases
from butler.orchestrator.embedded.recalling import recall
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

FORGET, KEEP = "bot_memory_forget", "bot_notes_remember"
FORGET_THAT = phrases(
    "[please] forget (that|this) [again] [,] [please]", "[bitte] vergiss (das|dies) [wieder] [,] [bitte]",
    "oublie (ça|cela|ceci)", "(olvida|olvide) (eso|esto)",
)  # fmt: skip
TITLE = 80
"""Signs of a note that its title in memory has."""


def says_forget_that(scene: Scene) -> bool:
    """Whether the words are no more than that, in whatever language, and under nothing that was shown."""
    after = lex(scene.request.words.value.strip().lstrip("¿¡ ")).bare().take(FORGET_THAT)
    return after is not None and after.done and not scene.request.replied_to and scene.has(FORGET)


def last_said(scene: Scene) -> str:
    """The owner's words of just before; empty where anybody else had a hand in them."""
    last = next((one for one in reversed(scene.request.history) if one.role == "user"), None)
    owners = last is not None and last.origins and all(origin.trust is Trust.OWNER for origin in last.origins)
    return last.content if last is not None and owners else ""


def let_go(output: PlannerOutput | None, scene: Scene) -> PlannerOutput | None:
    """The step that forgets what the last request (as it was read) kept, or else the source that was shown last."""
    steps = output.steps if isinstance(output, Planned) else ()
    kept = [step.args["text"] for step in steps if step.tool_call == KEEP]
    if len(kept) == 1:
        return calls.plan(calls.forget(words=one_line(kept[0])[:TITLE]))
    newest = scene.request.referents[-1:]
    return recall(lex("forget that"), scene) if newest and newest[0].kind is ReferentKind.SOURCE else None
