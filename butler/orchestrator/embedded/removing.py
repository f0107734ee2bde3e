"""Words that put an end to something: of which kind it is, and nothing of another kind is ever ended for it.

`remove the automation about Bob` is never about an event, and `turn off the first one` is about what was shown last.
"""

from dataclasses import replace

from butler.contract.agents import PlanStep
from butler.contract.names import Direction, ToolName
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.lexer import Phrases, Tail, lex, phrases, word_set
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.numbers import DIGITS, place
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stopping import spoken
from butler.orchestrator.planning.kind_words import NOUNS
from butler.orchestrator.planning.last_shown import none_there
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput, Unclear
from butler.store.conversation import LastShown

ASKED = phrases(
    "(bitte|ok|okay|also|und|jetzt|dann) [,]", "(kannst|könntest|würdest) du [bitte]",
    "(peux-tu|pourrais-tu|tu peux|veux-tu|s'il te plaît|stp) [,]", "(puedes|podrías|por favor) [,]",
)  # fmt: skip
"""What is said before a request in other languages than English."""
END = phrases(
    "(delete|remove|cancel|stop|disable|deactivate|drop|kill|end|revoke|erase|forget|trash|scrap|clear)",
    "get rid of", "call off",
    "(lösch|lösche|löschen|entfern|entferne|entfernen|streich|streiche|streichen|stopp|stoppe|beende|beenden)",
    "(storniere|storniere|widerruf|widerrufe|vergiss|kündige|kündig|deaktivier|deaktiviere|deaktivieren)",
    "(supprime|supprimer|efface|effacer|enlève|enlever|retire|retirer|annule|annuler|arrête|arrêter|stoppe|oublie)",
    "(désactive|désactiver|coupe|couper|révoque)",
    "(borra|borrar|elimina|eliminar|quita|quitar|cancela|cancelar|para|parar|detén|detener|anula|anular|suprime)",
    "(desactiva|desactivar|apaga|apagar|olvida)",
)  # fmt: skip
OFF = phrases(
    "(turn|switch) off", "(disable|deactivate|pause|suspend|mute)",
    "(schalt|schalte|schalten|stell|stelle|pausier|pausiere|deaktivier|deaktiviere|deaktivieren)",
    "(désactive|désactiver|coupe|couper|suspends)", "(desactiva|desactivar|apaga|apagar|pausa)",
)  # fmt: skip
"""What ends nothing for good."""
TURN, TURNED = phrases("(turn|switch)"), phrases("off")
ENCLITICS = {
    "bórralo": "borra", "bórrala": "borra", "elimínalo": "elimina", "elimínala": "elimina", "quítalo": "quita",
    "quítala": "quita", "cancélalo": "cancela", "cancélala": "cancela", "páralo": "para", "párala": "para",
    "supprime-le": "supprime", "supprime-la": "supprime", "efface-le": "efface", "efface-la": "efface",
    "enlève-le": "enlève", "enlève-la": "enlève", "annule-le": "annule", "annule-la": "annule",
    "arrête-le": "arrête", "arrête-la": "arrête",
}  # fmt: skip
OFF_ENCLITICS = word_set("desactívalo desactívala apágalo apágala désactive-le désactive-la coupe-le coupe-la")
"""A verb with its `it` in one word."""
ARTICLE = phrases("(the|my|this|that|der|die|das|den|dem|le|la|les|el|los|las|mein|meine|meinen|mon|ma|mi)")
IT = phrases(
    "(it|this|that|them|these|those|one) [one]", "(es|sie|ihn|das|dies|diese|diesen|dieses)", "(ça|cela|ceci)",
    "(celui-ci|celle-ci|celui-là|celle-là)", "(lo|la|esto|eso|esta|este|esa|ese)",
)  # fmt: skip
NUMBER = phrases("[the] number", "[the] no .", "[die] nummer", "[le] numéro", "[el] número")
ONE = phrases("(one|entry|item)", "(eintrag|punkt)")
AND = phrases(", and", "(and|und|sowie|et|y|e|&)", ",", "as well as")
PARTICLE = phrases("(aus|ab|weg|wieder aus)", "off")
LAST = word_set("last letzte letzten letztes dernier dernière último última")
FOREIGN_PLACES = (
    word_set("erste ersten erstes premier première 1er 1re primero primera primer"),
    word_set("zweite zweiten zweites deuxième second seconde segundo segunda"),
    word_set("dritte dritten drittes troisième tercero tercera tercer"),
    word_set("vierte vierten viertes quatrième cuarto cuarta"),
    word_set("fünfte fünften fünftes cinquième quinto quinta"),
)
AFTER_NOUN = word_set(
    "about for from of with to on at in by that which who called named where over "
    "über von vom mit zu zum zur für an am auf um aus ab bei namens wegen , : "
    "sur de du des d' pour avec à au aux chez qui que nommé nommée sobre del con para por en desde al llamado llamada "
    "and und et y or oder ou o"
)
"""What stands behind the thing that is named."""
IN_CONTACTS = phrases(
    "(from|in|out of) (my|the) contacts", "(aus|von|in) (meinen|den) kontakten", "(de|dans) (mes|les) contacts",
    "(de|en) (mis|los) contactos",
)  # fmt: skip
CHANNELS: dict[ReferentKind, frozenset[str]] = {
    ReferentKind.AUTOMATION: word_set("automations"),
    ReferentKind.RULE: frozenset(),
    ReferentKind.RUN: frozenset(),
    ReferentKind.CONTACT: frozenset(),
    ReferentKind.REMINDER: word_set("reminders calendar automations"),
    ReferentKind.EVENT: word_set("calendar"),
    ReferentKind.MAIL: word_set("email telegram"),
    ReferentKind.MESSAGE: word_set("email telegram"),
    ReferentKind.CARD: word_set("trello"),
    ReferentKind.BOARD: word_set("trello"),
    ReferentKind.NOTE: word_set("notes memory"),
    ReferentKind.SOURCE: word_set("memory notes"),
    ReferentKind.FILE: word_set("files drive documents memory r2 email"),
    ReferentKind.PAGE: word_set("memory web"),
}
"""Whose tools may end something of a kind."""
LISTED = {
    ReferentKind.AUTOMATION: Command.AUTOMATIONS,
    ReferentKind.RULE: Command.RULES,
    ReferentKind.RUN: Command.BULK,
    ReferentKind.CONTACT: Command.CONTACTS,
}
"""What is ended by a button of its list."""
PAUSE, REMOVE = "bot_automations_pause", "bot_automations_remove"
REMOVE_REMINDER, DELETE_EVENT = "bot_reminders_remove", "user_calendar_delete_event"
WHICH = phrase("I am not sure what you mean by “{words}”, so I did nothing. Let me show you what there is first.")
NO_SUCH_PLACE = phrase("What I showed you last has no number {number}.")


def remove(scene: Scene) -> PlannerOutput | None:
    """Read a request to end what only a list's buttons can end, or what was shown last; None for all others."""
    tail = _request(scene)
    ended = _ended(tail)
    if ended is None or spoken(scene.request.words.value, scene.request.butler_name) is not None:
        return None
    here, off = ended
    last = scene.request.last_shown
    if (several := _references(here)) is not None:
        return _of_several(several, scene, off=off) or Unclear(say(WHICH, words=here.text))
    if last is not None and not scene.request.replied_to and (number := _reference(here)) is not None:
        return _of_last(number, last, scene, off=off)
    kinds = [_kinds(noun) for noun in _nouns(here)]
    listed = [kind for several in kinds for kind in several if kind in LISTED]
    return LISTED[listed[-1]] if listed and all(set(several) & LISTED.keys() for several in kinds) else None


def of_its_kind(output: PlannerOutput, scene: Scene) -> PlannerOutput:
    """The output; a question instead where the words end something of one kind, and the plan acts on another."""
    ended = _ended(_request(scene))
    if ended is None or not isinstance(output, Planned):
        return output
    acting = {spec.tool_name for spec in scene.request.tools if spec.direction is Direction.OUTPUT}
    channels = [ToolName.parse(step.tool_call).channel for step in output.steps if step.tool_call in acting]
    nouns = _nouns(ended[0])
    theirs = frozenset[str]().union(*(CHANNELS[kind] for noun in nouns for kind in _kinds(noun)))
    other_kind = nouns and not theirs.issuperset(channels)
    by_reference = _reference(ended[0]) is not None and any(_words_of_reference(step.args) for step in output.steps)
    return Unclear(say(WHICH, words=ended[0].text)) if other_kind or by_reference else output


def _request(scene: Scene) -> Tail:
    """The words without what is said before them for good manners."""
    tail = without_manners(lex(scene.request.words.value.strip().lstrip("¿¡ ")), scene.request.butler_name).bare()
    while (after := tail.take(ASKED)) is not None and not after.done:
        tail = after
    return tail


def _ended(tail: Tail) -> tuple[Tail, bool] | None:
    """What stands behind a verb that ends something, and whether it only turns it off; None where none stands here."""
    word = tail.word()
    if word in OFF_ENCLITICS or word in ENCLITICS:
        return _as_it(tail), word in OFF_ENCLITICS
    if (after := tail.take(OFF)) is not None:
        return _without_end(after, PARTICLE), True
    if (after := tail.take(END)) is not None:
        return _without_end(after, phrases("(weg|again|bitte|please|now)")), False
    turned = tail.take(TURN)
    short = _without_end(turned, TURNED) if turned is not None else None
    return (short, True) if turned is not None and short is not None and short.end < turned.end else None


def _as_it(tail: Tail) -> Tail:
    """The rest behind a verb with its `it` in one word, which is nothing but that."""
    rest = tail.skip()
    return lex("it") if rest.done else rest


def _without_end(tail: Tail, options: Phrases) -> Tail:
    last = replace(tail, at=max(tail.at, tail.end - 1))
    return replace(tail, end=last.at) if last.at > tail.at and last.take(options) is not None else tail


def _reference(here: Tail) -> int | None:
    """The place of a bare reference: 0 for `it`, -1 for the last one; None where a thing is named."""
    numbered = here.take(NUMBER) or (here if here.word().startswith("#") else None)
    digits = (numbered or here).word().removeprefix("#")
    if DIGITS.fullmatch(digits) and (numbered or here).skip().done:
        return int(digits)
    start = here.past(ARTICLE)
    number = -1 if start.word() in LAST else _place(start.word())
    if number is not None and start.skip().past(ONE).done:
        return number
    after = here.take(IT)
    return 0 if after is not None and after.done else None


def _references(here: Tail) -> list[int] | None:
    """The places of several bare references, such as `the second one and the third`; None where a thing is named."""
    numbers: list[int] = []
    while True:
        start = here.past(ARTICLE)
        number = -1 if start.word() in LAST else _place(start.word())
        if number is None:
            return None
        numbers.append(number)
        here = start.skip().past(ONE)
        if here.done:
            return numbers if len(numbers) > 1 else None
        if (after := here.take(AND)) is None:
            return None
        here = after


def _of_several(numbers: list[int], scene: Scene, *, off: bool) -> PlannerOutput | None:
    """The events or reminders at these places of what was shown last; None where it is not sure which."""
    last = scene.request.last_shown
    if last is None or scene.request.replied_to or off or last.kind not in {ReferentKind.EVENT, ReferentKind.REMINDER}:
        return None
    shown = [one for one in scene.request.referents if one.kind is last.kind]
    newest = [one for one in shown if one.shown_in == shown[-1].shown_in]
    meant = [one for number in numbers for one in newest if one.ordinal == (number if number > 0 else last.count)]
    if len({one.handle for one in meant}) != len(numbers):
        return None
    if last.kind is ReferentKind.EVENT and scene.has(DELETE_EVENT):
        events = [{"handle": one.handle} for one in meant]
        return calls.plan(calls.call(DELETE_EVENT, say("Delete the events"), events=events))
    if last.kind is ReferentKind.REMINDER and scene.has(REMOVE_REMINDER):
        said = say("Remove the reminder")
        return calls.plan(*(calls.reminder("remove", said, reminder_id={"handle": one.handle}) for one in meant))
    return None


def _place(word: str) -> int | None:
    found = place(word)
    return found or next((n for n, words in enumerate(FOREIGN_PLACES, 1) if word in words), None)


def _of_last(number: int, last: LastShown, scene: Scene, *, off: bool) -> PlannerOutput | None:
    """What a bare reference to the last thing shown comes to; None where its kind has words of its own."""
    if last.count == 0:
        return Unclear(none_there(last.kind))
    match last.kind:
        case ReferentKind.REMINDER:
            return _reminder(number, last, scene)
        case ReferentKind.AUTOMATION if last.keys and scene.has(REMOVE) and (number or len(last.keys) == 1):
            if number > len(last.keys):
                return Unclear(say(NO_SUCH_PLACE, number=number))
            return calls.plan(_step(int(last.keys[number - 1 if number > 0 else number]), off=off))
        case _:
            return LISTED.get(last.kind)


def _reminder(number: int, last: LastShown, scene: Scene) -> PlannerOutput | None:
    """The reminder at this place of what was shown last; None where it is not sure which."""
    shown = [one for one in scene.request.referents if one.kind is ReferentKind.REMINDER]
    newest = [one for one in shown if one.shown_in == shown[-1].shown_in]
    found = [one for one in newest if one.ordinal == number] if number > 0 else newest[number or -1 :]
    sure = number != 0 or last.count == 1
    if len(found) != 1 or not sure or not scene.has(REMOVE_REMINDER):
        return None
    which = {"reminder_id": {"handle": found[0].handle}}
    return calls.plan(calls.reminder("remove", say("Remove the reminder"), **which))


def _step(number: int, *, off: bool) -> PlanStep:
    if off:
        return calls.call(PAUSE, say("Pause an automation"), number=number)
    return calls.call(REMOVE, say("Remove an automation"), number=number)


def _kinds(noun: str) -> list[ReferentKind]:
    return [kind for kind, nouns in NOUNS.items() if noun in nouns]


def _nouns(here: Tail) -> list[str]:
    """The words for kinds of things that stand before what tells more of the thing."""
    found: list[str] = []
    start = here
    while not here.done and (here.at == start.at or here.word() not in AFTER_NOUN):
        word = here.word().removeprefix("l'").removeprefix("d'")
        found += [word] if _kinds(word) else []
        here = here.skip()
    in_contacts = here.take(IN_CONTACTS) is not None
    return ["contacts"] if in_contacts else found


def _words_of_reference(args: dict[str, object]) -> bool:
    """Whether something is looked for by words that are a mere reference: `premier`."""
    words = args.get("words")
    return isinstance(words, str) and bool(words) and _reference(lex(words)) is not None
