"""What the owner wants of answers: `call me Max`, `answer in German`, `be brief`. A closed set, and a name."""

from butler.contract.errors import Refuse
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Command, PlannerOutput
from butler.orchestrator.planning.preferences import Preference, PreferenceName

BEFORE = phrases("from now on [,]", "in [the] future [,]", "always", "please", ",")
AFTER = phrases(
    "from now on", "in [the] future", "always", "please", "pls", "with me", "to me", "again", "instead", ",",
    "in your answers", "when you answer [me]", "for me",
)  # fmt: skip
NAME = phrases(
    "(call|name) me", "you (can|may|should) call me", "my name is", "my name's", "(i am|i'm) called", "i go by",
    "address me as", "refer to me as",
)  # fmt: skip
NO_NAME = word_set(
    "back later tomorrow today tonight now a an at when if in on again asap soon and or to the my as not unless once "
    "after before by with from please maybe anytime whenever"
)
LONGEST = 4
"""Words of a name."""
SPEAK = phrases(
    "(answer|reply|respond|write|speak|talk|communicate) [me|to me|with me] [only] in", "(speak|talk)",
    "(switch|change) [the|your] [language] to", "set [the|your|my] language to", "[your] (answers|replies) in",
    "(i prefer|i want|i'd like|i'd prefer) [answers|your answers] in", "give me [your] answers in", "use",
    "your language is",
)  # fmt: skip
LANGUAGES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "francais": "fr",
    "spanish": "es", "español": "es", "espanol": "es",
}  # fmt: skip
OTHERS = word_set(
    "italian portuguese dutch polish russian chinese japanese arabic turkish swedish danish norwegian finnish greek "
    "hindi korean czech hungarian romanian ukrainian klingon latin esperanto welsh irish catalan"
)
CLOSED = (
    (
        phrases(
            "[be|keep it|make it|stay] [more|very] (brief|concise|succinct|short|shorter|briefer)",
            "(keep|make) [your|the|all] (answers|replies|responses|it) (short|brief|concise|shorter|briefer)",
            "[use|give|i want|i prefer|i'd like|i'd prefer|i would prefer] [me|some] (short|brief|shorter|concise)"
            " (answers|replies|responses)",
            "(answer|reply|respond) [more] (briefly|concisely|shortly)",
            "[less|not so much] detail",
            "(answer|reply) in (short|brief)",
            "don't (ramble|be so long|write so much)",
            "your answers are too long",
        ),
        PreferenceName.LENGTH,
        "brief",
    ),
    (
        phrases(
            "be [more] (detailed|thorough|verbose|elaborate)",
            "[give|use|i want|i'd like] [me] more (detail|details)",
            "(keep|make) [your|the] (answers|replies) (long|longer|detailed|full)",
            "[use|give|i want|i prefer|i'd like|i'd prefer] [me] (detailed|longer|long|full|more detailed)"
            " (answers|replies)",
            "(answer|reply|respond|explain) in [more|full] (detail|full|depth)",
            "your answers are too short",
            "(answer|reply) (fully|at length|thoroughly)",
        ),
        PreferenceName.LENGTH,
        "full",
    ),
    (
        phrases("be [more] technical", "[give|use] [me] [more] technical answers", "(answer|explain) technically"),
        PreferenceName.PERSONA,
        "Technical",
    ),
    (
        phrases("[give|use] [me] executive (answers|summaries)", "(answer|write) [me] like for an executive"),
        PreferenceName.PERSONA,
        "Executive",
    ),
    (
        phrases("be less technical", "(explain|answer) (simply|in simple words|in simple terms|in plain words)"),
        PreferenceName.PERSONA,
        "General",
    ),
    (
        phrases("quote [me] [your|the] sources", "show [me] [the] quotes", "[always] show [me] [your|the] sources"),
        PreferenceName.SOURCES,
        "quoted",
    ),
    (
        phrases("(only|just) name [your|the] sources", "(don't|do not) quote [your|the] sources", "no quotes"),
        PreferenceName.SOURCES,
        "named",
    ),
    (phrases("forget my name", "(don't|do not|stop) (call|calling) me (that|by my name)"), PreferenceName.NAME, ""),
)
LIST = phrases(
    "(preferences|/preferences)", "[show|list|see|what are] [me] my preferences", "what do i prefer",
    "(what|which) preferences (do i have|have i set|are set|do you know)", "what do you call me",
)  # fmt: skip


def preference(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read what is preferred; None where nothing is said of that."""
    del scene
    here = tail.bare()
    if (after := here.take(LIST)) is not None and after.done:
        return Command.PREFERENCES
    while (after := here.take(BEFORE)) is not None and not after.done:
        here = after
    for options, name, value in CLOSED:
        if (after := here.take(options)) is not None and _ends(after):
            return Preference(name, value)
    return _language(here) or _name(here)


def _language(tail: Tail) -> Preference | None:
    after = tail.take(SPEAK)
    if after is None or not _ends(after.skip()):
        return None
    if (code := LANGUAGES.get(after.word())) is not None:
        return Preference(PreferenceName.LANGUAGE, code)
    if after.word() in OTHERS:
        raise Asking(say("I can answer in English, German, French or Spanish."))
    return None


def _name(tail: Tail) -> Preference | None:
    start = tail.take(NAME)
    if start is None or start.done or start.word() in NO_NAME:
        return None
    end = start
    while not end.done and not _ends(end):
        end = end.skip()
    said = start.until(end)
    words = [token.word for token in said.tokens[said.at : said.end]]
    if not 0 < len(words) <= LONGEST or NO_NAME & set(words) or not said.written()[:1].isalpha():
        return None
    if len(words) > 1 and not said.written()[:1].isupper():
        return None
    try:
        return Preference(PreferenceName.NAME, said.text)
    except Refuse as error:
        raise Asking(str(error)) from None


def _ends(tail: Tail) -> bool:
    """Whether nothing is left but manners."""
    while (after := tail.take(AFTER)) is not None:
        tail = after
    return tail.done
