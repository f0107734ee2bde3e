"""What becomes of a request whose kind was only guessed: a look at something, or a question with what is missing."""

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, lex, phrases
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.people import owner_of, person_at
from butler.orchestrator.embedded.recalling import ASKING, VERB_FIRST, WHETHER, question
from butler.orchestrator.embedded.router import Meaning
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput

COMMANDS = {
    Meaning.PENDING: Command.PENDING,
    Meaning.STATUS: Command.STATUS,
    Meaning.HELP: Command.HELP,
    Meaning.CONTACTS: Command.CONTACTS,
    Meaning.RULES: Command.RULES,
}
QUESTIONS = {
    Meaning.SEND: phrase("To whom, and what exactly? Say it like “tell Anna on Telegram: see you at eight”."),
    Meaning.REMIND: phrase("When shall I remind you, and of what? Say it like “remind me tomorrow at 9 to call mum”."),
    Meaning.REMEMBER: phrase("What shall I keep? Say it like “remember that my locker is 4711”."),
}
OPENERS = phrases(
    "(tell|show|remind|give) me", "let me know", "(do|would) you [happen to] know", "find out", "look up", "i need",
    "i (forgot|wonder|want to know|need to know|can't remember|don't remember)", "i'd like to know", "any idea",
)  # fmt: skip


def routed(meaning: Meaning, scene: Scene) -> PlannerOutput | None:
    """The steps, the command or the question; None where the words hold more than a kind alone can answer."""
    tail = without_manners(lex(scene.request.words.value), scene.request.butler_name).bare()
    if (command := COMMANDS.get(meaning)) is not None:
        return command
    if meaning in QUESTIONS:
        return Asking(say(QUESTIONS[meaning])).unclear
    if meaning is Meaning.KNOWLEDGE:
        return _question(tail, scene)
    if names_somebody(tail, scene):
        # Somebody's mails or messages are no look at all of them.
        return None
    return _look(meaning, scene)


def _look(meaning: Meaning, scene: Scene) -> PlannerOutput | None:
    mails = calls.search_mail("user", say("Look for unread mail in your inbox"), unread=True)
    steps = {
        Meaning.MAIL: (mails,),
        Meaning.TELEGRAM: (calls.missed_chats(),),
        Meaning.NEWS: (calls.missed_chats(), mails),
        Meaning.REMINDERS: (calls.list_reminders(),),
        Meaning.NOTES: (calls.search_notes(""),),
    }[meaning]
    there = [step for step in steps if scene.has(step.tool_call)]
    return calls.plan(*there) if there else None


def _question(tail: Tail, scene: Scene) -> Planned | PlannerOutput | None:
    """A question goes to memory; what is none is asked about first."""
    if not scene.has("bot_memory_search"):
        return None
    asked = tail.past(OPENERS)
    asked = asked if not asked.done else tail
    asks = ASKING | VERB_FIRST | WHETHER
    if {tail.word(), tail.word(1), asked.word()} & asks or asked.at > tail.at:
        return question(asked, scene)
    look = choice(say("Look for: {words}", words=tail.text), f"search your memory for {tail.text}")
    return Asking(say("Shall I look for that in what I have read?"), [look]).unclear


def names_somebody(tail: Tail, scene: Scene) -> bool:
    """Whether a contact or an address stands anywhere in the words."""
    here = tail
    while not here.done:
        if person_at(here, scene) is not None or owner_of(here, scene) is not None:
            return True
        here = here.skip()
    return False
