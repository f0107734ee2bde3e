"""Words that ask Butler itself: help, what is pending, how it is, a stop; and small talk that must not act."""

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, name_phrase, phrases
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stopping import spoken_by
from butler.orchestrator.planning.plan_types import Command, PlannerOutput

HELP = phrases(
    "(help|/help) [me]", "what (can|do) you do [for me]", "what can i (do|say|ask) [you]", "how does this work",
    "(start|/start)",
    "how do (you|i) [use] [this|you|it] work", "who are you", "hi", "hello", "hey", "good (morning|evening|afternoon)",
)  # fmt: skip
PENDING = phrases(
    "[show] [me] [what's|what is|whats] [still] (pending|waiting|open)",
    "[what's|what is|anything|is anything] waiting for (me|my yes|my approval|my okay|my ok)",
    "[show|list|tell] [me] (what|anything) [that] needs my (approval|okay|ok|yes)",
    "what do you [still] need (from me|me to do)",
    "does anything need my (approval|okay|ok|yes)", "what (do i|must i|should i) [have to|need to] approve",
    "[show] [me] [the|my] [pending] (approvals|cards)", "(what|anything) [is] [left] to approve",
    "is anything (pending|waiting)", "anything (pending|waiting)",
)  # fmt: skip
STATUS = phrases(
    "you (there|ok|okay|alive|up|awake)", "[your] status", "how are you [doing]",
    "(everything|all) (ok|okay|fine|good|well) [with you]",
    "are you (doing|feeling) (ok|okay|well|fine)", "(how is|how's) it going", "(how is|how's) everything [going]",
    "are you (alive|there|ok|okay|up|online|running|working)", "how is everything",
    "is everything (ok|okay|fine|working)", "what is your status", "what's your status",
)  # fmt: skip
RULES = phrases(
    "[show|list] [me] [all] [the|my|all my] [standing] rules", "(which|what) [standing] rules are (there|in force)",
    "(which|what) [standing] rules (do i have|have i [saved|made])", "what passes without asking [me]",
    "(what are|what're|which are) [all] (my|the) [standing] rules", "do i have [any] [standing] rules",
)  # fmt: skip
CONTACTS = phrases(
    "[show|list] [me] [all] [my|the] contacts", "who (do i know|do you know|are my contacts)",
    "(whom|who) do you know [by name]", "[show|list] [me] [the|all] people [you|i] know",
)  # fmt: skip
RUNNING = phrases(
    "[show] [me] (what is|what's|whats) [still|currently] running [now|right now]", "is anything [still] running",
    "[show] [me] (what|anything) [that] is [still] running", "[show|list] [me] [the|all] (runs|running runs)",
    "[show|list] [me] [the|all] bulk (runs|operations)",
)  # fmt: skip
YES = phrases(
    "(yes|ok|okay|yep|sure|approve|approved|go)", "(yes|ok) [,] (please|do it)", "do it", "send it", "go ahead",
    "approve it",
)  # fmt: skip
NO = phrases(
    "(no|nope|deny|denied|don't|nevermind|refuse|reject) [it|that|this|all|everything]", "(never mind|forget it)",
    "no [,] (thanks|don't|thank you)", "don't [send|do] (it|that)",
)  # fmt: skip
THANKS = phrases(
    "thanks [a lot|so much]", "thank you [very much|so much]", "(great|perfect|cool|nice) [,] [thanks]", "ty"
)
COMMA = phrases(",")
AUTOMATIONS = phrases(
    "[show|list] [me] [all] [the|my|all my] automations", "(which|what) automations (do i have|are there)",
    "what do you do (by yourself|on your own)", "do i have [any] automations",
)  # fmt: skip
_COMMANDS = (
    (HELP, Command.HELP), (PENDING, Command.PENDING), (STATUS, Command.STATUS), (RULES, Command.RULES),
    (CONTACTS, Command.CONTACTS), (RUNNING, Command.BULK), (AUTOMATIONS, Command.AUTOMATIONS),
)  # fmt: skip


def own_status(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read what is asked of Butler itself; None where it is something else."""
    bare = tail.bare()
    if (command := spoken_by(tail, scene.request.butler_name)) is not None:
        return command
    name = name_phrase(scene.request.butler_name)
    for options, command in _COMMANDS:
        if (after := bare.take(options)) is not None and after.past(COMMA).past(name).done:
            return command
    if (after := bare.take(NO)) is not None and after.done:
        # A no is safe: whatever waits is listed, with how it is refused.
        return Command.PENDING
    if (after := bare.take(YES)) is not None and after.done:
        raise Asking(
            say("I act only on a button, never on a typed answer. Tap it on the card, or tell me what to do."),
            [choice(say("Show what is pending"), "what is pending")],
        )
    if (after := bare.take(THANKS)) is not None and after.past(COMMA).past(name).done:
        raise Asking(say("You are welcome. What else can I do for you?"))
    return None
