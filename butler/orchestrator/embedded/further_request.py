"""Finds a second request inside the text of the first: `tell Anna I'm late and put dinner at 8 into my calendar`.

Words that may be meant for the butler are never sent, kept or looked for as part of a text without a question.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from butler.orchestrator.embedded.lexer import QUOTES, Tail, phrases
from butler.orchestrator.embedded.people import person_at
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.kind_words import all_nouns

JOINTS = phrases(
    "[,] and [then|also|please|afterwards]", "[,] then", "[,] also", "& [then]", "[,] und [dann|auch|bitte|danach]",
    "[,] dann", "[,] et [puis|ensuite|aussi|après]", "[,] puis", "[,] ensuite",
    "[,] y [luego|después|también|entonces]",
    "[,] luego", "[,] e", "[,] plus", "[,] (but|aber|mais|pero)", ";", ".", "!",
)  # fmt: skip
"""Joints between two requests; after the last three, a sentence begins."""
REMIND = phrases(
    "remind (me|us)", "set [me] (a|an) (reminder|alarm|timer)", "wake me",
    "(erinner|erinnere) mich", "weck mich", "rappelle-moi", "réveille-moi", "recuérdame", "despiértame",
    "mets-moi un rappel", "ponme un recordatorio",
)  # fmt: skip
KEEP = phrases(
    "(remember|note) [down] (that|this|it)", "(make|take) a note", "write (it|this|that) down", "save (it|this|that)",
    "(merk|merke) dir", "(notier|notiere) [dir]", "(schreib|schreibe) dir auf", "(speicher|speichere) (es|das|dir)",
    "souviens-toi", "note (que|ça|cela|le|la)", "retiens", "(enregistre|garde)",
    "(recuerda|anota|apunta) (que|eso|esto|lo)", "(apúntalo|anótalo|guárdalo)",
)  # fmt: skip
WRITE = phrases(
    "(tell|ask|text|message|email|e-mail|mail|ping|dm|inform|notify|remind|call|invite)",
    "(write|send|forward) [it] to",
    "(write|send|forward|drop|let|give|shoot)", "reply to",
    "(sag|sage|frag|frage|schreib|schreibe|schick|schicke|mail|maile|informier|informiere|erinner|erinnere)",
    "(lad|lade|ruf|rufe) [doch]", "(sag|sage|schick|schicke|schreib|schreibe|leite|leit) (es|das|sie|ihn)",
    "gib",
    "(dis|demande|écris|envoie|préviens|informe|rappelle|appelle|invite) [à]",
    "(dis-le|écris-le|envoie-le|envoie-la|envoie-les|dis-lui|écris-lui|transfère-le) [à]",
    "(dile|pregúntale|escríbele|mándale|envíale|avísale|dígale|recuérdale) [a]",
    "(di|pregunta|escribe|manda|envía|avisa|llama|invita) a", "(díselo|mándalo|envíalo|envíaselo|mándaselo) a",
)  # fmt: skip
"""Verbs before a person."""
THEM = phrases(
    "(her|him|them|everybody|everyone)", "(es|das) (ihr|ihm|ihnen|allen)", "(ihr|ihm|ihnen|ihn|allen)", "(lui|leur)",
    "(ella|él|ellos|todos)",
)  # fmt: skip
TO_HIM = phrases("(díselo|mándaselo|envíaselo|dile|dis-lui|dis-le-lui|dis-leur|diles|escríbele|écris-lui)")
GREET = phrases(
    "(thank|congratulate|greet|hug|kiss) (her|him|them)", "wish (her|him|them)", "(apologise|apologize)",
    "say (hi|hello|sorry|thanks|goodbye)", "(le|la|les) (remercier|féliciter|saluer)",
    "(lui|leur) (dire|demander|souhaiter|présenter)",
)  # fmt: skip
"""Further things that the owner may say to somebody."""
TOLD_TO_DO = re.compile(r"[^\W\d_]{2,}-(?:lui|leur|la|le|les)|dale|dales|\w*[áéíóú]\w*les?", re.IGNORECASE)
"""A French or Spanish command with its object: `remercie-la`, `pregúntale`."""
LEAVES_OUT = phrases(
    "(not|don't|do not) [tell|ask|write|mention it to|say it to|to]", "(nicht|nichts) [an|zu]", "sag (es|das) nicht",
    "pas [à]", "(n'en parle|ne le dis|ne dis rien) [pas] à", "no [a]", "no se lo (digas|cuentes) a", "no le digas a",
)  # fmt: skip
"""Words before somebody who is not to hear of it."""
SHOW = phrases(
    "(show|read|list|give|tell) me", "(zeig|zeige|lies) mir", "(montre-moi|lis-moi)", "(muéstrame|léeme|enséñame)",
)  # fmt: skip
HANDLE = phrases(
    "(email|e-mail|mail|forward|send|archive|delete|remove|cancel|trash|print|schedule|book|move|snooze|mark) "
    "(it|this|that|them|these|those)",
    "(archive|delete|cancel|trash|schedule|reschedule|book|search|find|unsubscribe) (the|my|a|an|all)",
    "look (it|this) up",
    "(lösch|lösche|archivier|archiviere|leite|leit|schick|schicke|druck|drucke|verschieb|verschiebe) (es|das|sie|ihn)",
    "(lad|lade) (sie|ihn|beide|alle)",
    "(lösch|lösche|archivier|archiviere|leite|leit|schick|schicke|druck|drucke|verschieb|verschiebe) (den|die)",
    "(supprime|archive|transfère|envoie|annule|déplace|imprime) (le|la|les|ça)",
    "(supprime-le|supprime-la|archive-le|archive-la|transfère-le|transfère-la|annule-le|envoie-le|envoie-la)",
    "(borra|archiva|reenvía|envía|cancela|mueve) (el|la|los|las|eso|esto)",
    "(bórralo|archívalo|reenvíalo|envíalo|cancélalo|mándalo|bórrala|envíala)",
)  # fmt: skip
ACT = phrases(
    "(archive|delete|remove|cancel|trash|forward|label|star|mark|move|snooze|postpone|reschedule|print|pause|mute)",
    "(accept|decline)", "(turn|switch) (off|on)", "unsubscribe from",
    "(lösch|lösche|archivier|archiviere|entfern|entferne|streich|streiche|verschieb|verschiebe|markier|markiere)",
    "(storniere|leite|schalt|schalte|stell|stelle|pausier|pausiere)",
    "(archive|supprime|efface|annule|déplace|transfère|marque|désactive|coupe|reporte|accepte|refuse)",
    "(archiva|borra|elimina|cancela|mueve|reenvía|marca|desactiva|apaga|aplaza|acepta|rechaza)",
)  # fmt: skip
"""Verbs before something of a kind that the butler keeps or reaches."""
PUT = phrases(
    "(put|add|enter|write|stick|pop|set|save|block|schedule|create|make|book)",
    "(setz|setze|trag|trage|pack|packe|schreib|schreibe|leg|lege|erstell|erstelle|mach|mache|plan|plane)",
    "(blockier|blockiere)",
    "(mets|ajoute|inscris|note|crée|bloque|planifie|enregistre|mets-le|mets-la|ajoute-le|ajoute-la)",
    "(pon|añade|agrega|apunta|crea|bloquea|anota|mete|ponlo|ponla|añádelo|añádela|agrégalo|apúntalo)",
)  # fmt: skip
PLACES = phrases(
    "(calendar|diary|trello|schedule)", "(my|our|the) (agenda|list|shopping list|to-do list|todo list|board|notes)",
    "(kalender|terminkalender|einkaufsliste|liste|notizen)", "(agenda|calendrier|liste|notes)",
    "(calendario|agenda|lista|notas)", "(a|an) (reminder|event|appointment|task|card|note)",
    "(einen|eine) (termin|erinnerung|karte|aufgabe|notiz)", "un (rappel|rendez-vous)", "une (carte|tâche)",
    "un (recordatorio|evento)", "una (cita|tarjeta|tarea)",
)  # fmt: skip
"""Places where only the butler can put something."""
FAREWELLS = phrases(
    "send [my|our|you|her|him|them|lots of] (love|regards|greetings|best|wishes|hugs|kisses)",
    "(give|tell|send) (him|her|them) (my|our|a)", "let me know", "(text|call|tell|message|email|mail|ask) me",
)  # fmt: skip
"""Requests to somebody else whose verb is one of the butler's."""
TELL_ME = phrases("tell me (when|if|whether|what|once|as soon)")
MOST_BEFORE = 4
"""Most words between a verb and the noun of its object."""
MOST_WORDS = 14
"""Most words between a verb such as `put` and its place."""


def further_requests(tail: Tail, scene: Scene) -> Iterator[Tail]:
    """Yield the further requests in a text, without their joints."""
    here, closing = tail, ""
    while not here.done:
        word = here.word()
        if closing or word in QUOTES:
            closing = "" if word == closing else closing or QUOTES[word]
        elif here.at > tail.at and (after := _joint(here)) is not None and _begins_request(after, scene):
            yield after
        here = here.skip()


def _joint(here: Tail) -> Tail | None:
    after = here.take(JOINTS) or (here if here.new_line() else None)
    return after if after is not None and not after.done else None


def _begins_request(tail: Tail, scene: Scene) -> bool:
    """Return whether a request begins here that only the butler can be asked."""
    if tail.take(REMIND) is not None or _puts(tail):
        return True
    if tail.take(FAREWELLS) is not None and tail.take(TELL_ME) is None:
        return False
    if _writes(tail, scene) or _leaves_out(tail, scene) or TOLD_TO_DO.fullmatch(tail.word()) is not None:
        return True
    return any(tail.take(words) is not None for words in (KEEP, GREET, SHOW, HANDLE)) or _acts(tail, scene)


def _leaves_out(tail: Tail, scene: Scene) -> bool:
    """Return whether the words leave somebody out: `not Bob`, `don't tell Bob`."""
    after = tail.take(LEAVES_OUT)
    return after is not None and person_at(after, scene) is not None


def _acts(tail: Tail, scene: Scene) -> bool:
    """Return whether the words act on something of the butler's: `archive her mail`, `turn off the reminder`."""
    start = tail.take(ACT)
    if start is None:
        return False
    near = {word.strip(",.;!?") for word in start.text.casefold().split()[:MOST_BEFORE]}
    brands = (spec.about.brands for spec in scene.request.tools)
    return not all(near.isdisjoint(things) for things in (all_nouns(), *brands))


def _puts(tail: Tail) -> bool:
    start = tail.take(PUT)
    if start is None:
        return False
    here = replace(start, end=min(start.end, start.at + MOST_WORDS))
    while not here.done:
        if here.take(PLACES) is not None:
            return True
        here = here.skip()
    return False


def _writes(tail: Tail, scene: Scene) -> bool:
    if tail.take(TO_HIM) is not None:
        return True
    start = tail.take(WRITE)
    if start is None:
        return False
    behind = start.past(phrases("it to", "(it|es|das|le|la|lo)", "the news to", "to", "à", "a", "an"))
    return any(person_at(one, scene) is not None or one.take(THEM) is not None for one in (start, behind))
