"""Requests that the core answers itself: what waits, what runs, what is set; small talk; and what Butler cannot do."""

import re

from butler.contract.speech import phrase, say, say_clock, say_day
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.planning.plan_types import Command, PlannerOutput, Unclear
from butler.orchestrator.planning.preferences import Preference, PreferenceName
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import TimeSaid

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
    "approve.list": Command.PENDING, "approve.all": Command.PENDING, "command.status": Command.STATUS,
    "command.help": Command.HELP, "command.rules": Command.RULES, "command.contacts": Command.CONTACTS,
    "command.pause": Command.PAUSE, "command.resume": Command.RESUME, "command.why": Command.WHY,
    "command.experts": Command.EXPERTS, "command.preferences": Command.PREFERENCES, "undo": Command.UNDO,
    "automation.list": Command.AUTOMATIONS, "automation.pause": Command.AUTOMATIONS,
    "automation.resume": Command.AUTOMATIONS, "automation.remove": Command.AUTOMATIONS,
    "automation.show": Command.AUTOMATIONS, "digest.now": Command.DIGEST, "approve.deny": Command.PENDING,
}  # fmt: skip
LANGUAGES = (
    ("en", re.compile(r"engl|anglais|ingl[eé]s", re.IGNORECASE)),
    ("de", re.compile(r"german|deutsch|allemand|alem[aá]n", re.IGNORECASE)),
    ("fr", re.compile(r"fren|franz|fran[cç]|franc[eé]s", re.IGNORECASE)),
    ("es", re.compile(r"span|espagn|espa[nñ]|castell", re.IGNORECASE)),
)
BRIEF = re.compile(
    r"\b(short|brief|concise|terse|less|kurz|kürzer|knapp|knapper|weniger|court|bref|concis|moins|cort|breve|concis|menos)",
    re.IGNORECASE,
)
FULL = re.compile(
    r"\b(long|detail|full|thorough|ausführlich|lang|mehr|complet|détail|plus|detall|larg|más)", re.IGNORECASE
)
CALLED = re.compile(
    r"\b(call me|my name|nenn|heiße|heisse|name ist|appelle|m['’]appel|prénom|llám|llam|nombre)", re.IGNORECASE
)
EVENING = re.compile(r"evening|night|abend|soir|noche|tarde", re.IGNORECASE)
OFF = re.compile(
    r"\b(off|stop|no more|cancel|unsubscribe|disable|ab(?:stell|schalt|bestell)\w*|aus(?:schalt)?\w*|"
    r"kein\w*|nicht mehr|arrête\w*|désactiv\w*|plus de|supprime\w*|para|desactiv\w*|quita\w*|no más|"
    r"no me mandes más)\b",
    re.IGNORECASE,
)
WHICH_PREFERENCE = phrase(
    "What shall I do otherwise? I can answer in another language, shorter or in full, and call you by a name."
)
WHICH_TIME = phrase("At what time shall the digest come?")


def talk(said: Said) -> PlannerOutput:
    """A short human answer."""
    return Unclear(say(SMALL_TALK[said.request.intent], name=said.scene.request.butler_name))


def clock(said: Said) -> PlannerOutput:
    """`what time is it`."""
    now = said.scene.now()
    return Unclear(say("It is {clock} on {day}.", clock=say_clock(now.time()), day=say_day(now.date())))


def decline(said: Said) -> PlannerOutput:
    """What Butler cannot do is named."""
    return Unclear(say(DECLINES[said.request.intent]))


def command(said: Said) -> PlannerOutput:
    """What the core shows by itself."""
    return COMMANDS[said.request.intent]


def prefer(said: Said) -> PlannerOutput:
    """`answer in [German](language) from now on`."""
    words = f"{said.words('language')} {said.words('value')} {said.request.text}"
    language = said.words("language") or said.words("value")
    code = next((code for code, pattern in LANGUAGES if pattern.search(language)), "")
    if code:
        return Preference(PreferenceName.LANGUAGE, code)
    if said.has("value") and CALLED.search(said.request.text):
        return Preference(PreferenceName.NAME, bare(said.words("value")))
    if BRIEF.search(words):
        return Preference(PreferenceName.LENGTH, "brief")
    if FULL.search(words):
        return Preference(PreferenceName.LENGTH, "full")
    raise Asking(say(WHICH_PREFERENCE))


def digest_time(said: Said) -> PlannerOutput:
    """`send the digest at [7:30](time)`, or no more."""
    tool = "bot_digests_set_time"
    said.need(tool)
    kind = "evening" if EVENING.search(said.request.text) else "morning"
    found = _clock_in(said)
    if found is not None and found.clock is not None:
        if found.clock.hour >= 15:  # noqa: PLR2004 - the afternoon's digest is the evening's
            kind = "evening"
        return calls.plan(calls.call(tool, say("Set the time of the digest"), kind=kind, at=f"{found.clock:%H:%M}"))
    if OFF.search(said.request.text):
        kinds = (
            [kind] if EVENING.search(said.request.text) or "morning" in said.request.text else ["morning", "evening"]
        )
        return calls.plan(*(calls.call(tool, say("Switch the digest off"), kind=one) for one in kinds))
    raise Asking(say(WHICH_TIME))


def _clock_in(said: Said) -> TimeSaid | None:
    """The time of day within what was said of when: `weekdays at 7`, `every morning at half past six`."""
    words = " ".join((*said.request.words("time"), *said.request.words("every"))).split()
    readings = (parse(" ".join(words[at:]), said.language, said.scene.now()) for at in range(len(words)))
    return next((one for one in readings if one is not None and one.clock is not None), None)


def digest_skip(said: Said) -> PlannerOutput:
    """`no digest [tomorrow](time)`."""
    said.need("bot_digests_skip")
    first, _ = said.days("time") if said.has("time") else (said.scene.now().date(), None)
    day = first or said.scene.now().date()
    return calls.plan(calls.call("bot_digests_skip", say("Leave out a digest"), day=day.isoformat()))


def unclear(_: Said) -> PlannerOutput:
    """A request that nobody could understand as it stands."""
    raise Asking(say("I am not sure what you mean. Whom or what is it about, and what shall I do?"))


BUILDERS: dict[str, Builder] = {
    **dict.fromkeys(SMALL_TALK, talk), **dict.fromkeys(DECLINES, decline), **dict.fromkeys(COMMANDS, command),
    "chat.clock": clock, "preference.set": prefer, "digest.time": digest_time, "digest.skip": digest_skip,
    "unclear": unclear,
}  # fmt: skip
