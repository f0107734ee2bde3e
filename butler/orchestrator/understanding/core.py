"""Builds requests that the core answers itself: commands, small talk, and what Butler cannot do."""

from butler.contract.speech import phrase, say, say_clock, say_day
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Command, PlannerOutput, Unclear
from butler.orchestrator.understanding import digests, memory, preferring
from butler.orchestrator.understanding.said import Builder, Said
from butler.understanding.stored_words import whole_in

SMALL_TALK = {
    "chat.greet": phrase(
        "Hello! I am your butler. I read and write your messages and mail, keep your reminders and calendar, and find "
        "what you have read.\nNothing goes out in your name before you approve it.\nWhat can I do for you?"
    ),
    "chat.thanks": phrase("You are welcome. What else can I do for you?"),
    "chat.bye": phrase("Goodbye. I keep an eye on things meanwhile."),
    "chat.insult": phrase("I am sorry that I was no help. Tell me what you need, and I try again."),
    "chat.praise": phrase("Thank you, that is kind of you."),
    "chat.how": phrase("I am well, thank you, and at your service."),
    "chat.who": phrase(
        "I am {name}, your butler: a program that runs for you alone. I read and write your messages and mail, keep "
        "reminders and your calendar, and find what you have read.\nNothing goes out in your name before "
        "you approve it."
    ),
    "chat.joke": phrase("I am better with letters than with jokes. Shall I look what is new instead?"),
    "chat.love": phrase("I hear you. If there is something that I can do, say so."),
}
DECLINES = {
    "decline.weather": phrase("I cannot look up the weather."),
    "decline.web": phrase("I cannot search the web; I can read a page whose address you send me."),
    "decline.knowledge": phrase("I know only what you have: your messages, mail, notes, files and calendar."),
    "decline.music": phrase("I cannot play music or films."),
    "decline.home": phrase("I cannot switch things in your home."),
    "decline.booking": phrase(
        "I cannot book, buy or pay anything. I can write to somebody about it, or put it into your calendar."
    ),
    "decline.calc": phrase("I cannot calculate or translate."),
    "decline.health": phrase("I know nothing of your health, and give no medical or legal advice."),
    "decline.create": phrase("I cannot write or draw things of my own; I send what you dictate."),
    "decline.phone": phrase("I have no access to your phone or to where people are."),
}
COMMANDS = {
    "command.status": Command.STATUS,
    "command.help": Command.HELP, "command.rules": Command.RULES, "command.contacts": Command.CONTACTS,
    "command.pause": Command.PAUSE, "command.resume": Command.RESUME, "command.why": Command.WHY,
    "command.experts": Command.EXPERTS, "command.preferences": Command.PREFERENCES,
    "automation.list": Command.AUTOMATIONS, "automation.pause": Command.AUTOMATIONS,
    "automation.resume": Command.AUTOMATIONS, "automation.remove": Command.AUTOMATIONS,
    "automation.show": Command.AUTOMATIONS,
}  # fmt: skip
FEW = 3
YOU = whole_in("butler.orchestrator.understanding", "message_words", "you")
"""Words that address the butler."""


def talk(said: Said) -> PlannerOutput:
    """Answer small talk; `who?` after another question is a question to memory."""
    on = memory.asked_on(said, FEW) if said.request.intent == "chat.who" and not YOU.search(said.request.text) else None
    return on or Unclear(say(SMALL_TALK[said.request.intent], name=said.scene.request.butler_name))


def clock(said: Said) -> PlannerOutput:
    """`what time is it`."""
    now = said.scene.now()
    return Unclear(say("It is {clock} on {day}.", clock=say_clock(now.time()), day=say_day(now.date())))


def decline(said: Said) -> PlannerOutput:
    """Say what Butler cannot do."""
    return Unclear(say(DECLINES[said.request.intent]))


def command(said: Said) -> PlannerOutput:
    """Return the core's own command."""
    return COMMANDS[said.request.intent]


def unclear(said: Said) -> PlannerOutput:
    """Handle a request that is unclear by itself: a question to memory goes on, and everything else is asked about."""
    if (on := memory.asked_on(said)) is not None:
        return on
    raise Asking(say("I am not sure what you mean. Whom or what is it about, and what shall I do?"))


BUILDERS: dict[str, Builder] = {
    **dict.fromkeys(SMALL_TALK, talk), **dict.fromkeys(DECLINES, decline), **dict.fromkeys(COMMANDS, command),
    "chat.clock": clock, "unclear": unclear, **preferring.BUILDERS, **digests.BUILDERS,
}  # fmt: skip
