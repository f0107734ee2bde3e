"""Detects reported speech (`I love her`, `asking whether she's free`), which is never sent as it is.

The butler puts no words into the owner's mouth: it asks for other words, with a button for the most likely text.
"""

from dataclasses import dataclass

from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.scene import Scene

REPORTS = phrases(
    "(asking|wondering|checking|inquiring|enquiring|telling|informing|letting|reminding|inviting|thanking)",
    "(begging|warning|urging|congratulating|wishing)",
    "to (ask|tell|let|inform|remind|invite|thank|check|see|find out|warn)",
    "and (ask|check|find out|see) (if|whether|when|what|where|how|who|why)",
    "and (ask|thank|remind|invite|warn) (him|her|them)",
    "um (ihr|ihm|ihnen|sie|ihn) zu", "um zu (fragen|sagen)",
    "und (frag|frage|bitte|erinner|erinnere) (sie|ihn|ihr|ihm)",
    "(pour|et|en) (lui|leur) (dire|demander|demandant|disant)", "pour (demander|dire|savoir)",
    "en (demandant|disant|expliquant)", "et (demande-lui|dis-lui)",
    "(para|y) (decirle|preguntarle|saber|pedirle|decirles)",
    "(diciéndole|preguntándole|diciendo|preguntando|pidiéndole)", "y (pregúntale|dile|pídele)",
    "(ob|si) (sie|er|elle|il|ella|él)",
)  # fmt: skip
"""Words that begin reported speech."""
THIRD_PERSON = word_set(
    "he she him her his hers he's she's he'll she'll he'd she'd himself herself "
    "er ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner "
    "il elle lui "
    "ella él su sus"
)
"""Pronouns of the third person; if nobody else was named, they mean the recipient or somebody unknown."""
SIE = "sie"
"""`they`, `she` or `you`; of a single person, it means the recipient."""
PLURAL = word_set("they them their theirs they're they'll they've ils elles leur leurs eux ellos ellas ihnen")
OBJECTS = phrases(
    "(je|j'|on|nous) [ne|n'] (la|le|l'|les)", "(je|on|nous) [ne] (lui|leur)",
    "(que|ya|no|también|si) (la|lo|le|les|las|los)",
)  # fmt: skip
FRENCH_OBJECT = word_set(
    "l'aime l'adore l'appelle l'attends l'embrasse l'ai l'invite l'aide l'écoute l'oublie l'apprécie"
)
FRENCH_OBJECT_VERBS = word_set(
    "verrai vois rappelle rappellerai remercie rejoins rejoindrai attends attendrai cherche chercherai quitte déteste "
    "connais retrouve retrouverai contacterai suis prends prendrai ramène ramènerai récupère récupérerai"
)
SPANISH_OBJECT = word_set("la lo le les las los")
SPANISH_NOUNS = word_set("mano foto moto radio otro mismo nuevo primero bueno malo mejor peor siento más")
DETERMINERS = word_set(
    "the a an my our your this that these those some every each no one two "
    "der die das den dem des ein eine einen einem einer mein meine meinen meinem unser unsere "
    "le la les un une des mon ma mes notre nos ce cette "
    "el los las unos unas mi mis nuestro nuestra este esta"
)
PEOPLE = word_set(
    "mum mom dad mother father brother sister wife husband boss doctor everybody everyone somebody someone nobody "
    "mama papa mutter vater bruder schwester frau mann chef chefin arzt jemand niemand "
    "maman père mère frère sœur patron médecin mamá papá madre padre hermano hermana jefe médico alguien"
)
ENGLISH = {
    "she's": "you're", "he's": "you're", "she": "you", "he": "you", "him": "you", "himself": "yourself",
    "herself": "yourself", "his": "your", "hers": "yours", "she'll": "you'll", "he'll": "you'll", "she'd": "you'd",
    "he'd": "you'd",
}  # fmt: skip
VERBS = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "wasn't": "weren't",
         "hasn't": "haven't", "doesn't": "don't"}  # fmt: skip
AFTER_OBJECT = word_set(
    "at in on for from to and but so very much again soon too , . ! ? when if because tomorrow today tonight later "
    "up home "
    "with about by back now then there here a lot"
)
"""Words after `her` if it does not mean `your`."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A doubt about a text."""

    pronoun: str
    """The doubtful pronoun; empty if the whole text is reported."""
    direct: str = ""
    """The text in direct speech; empty if it is not certain."""


def reported(body: Tail, names: tuple[str, ...], scene: Scene, *, several: bool) -> Reported | None:
    """Return the part of a text that was not addressed to its recipient; None if the text can go as it stands.

    Args:
        body: The text as it was said.
        names: The names of the recipients.
        scene: The request with the known people.
        several: Whether it goes to several people.
    """
    words = body.bare()
    if words.take(REPORTS) is not None:
        return Reported("")
    place = _pronoun(words, scene, names, several=several)
    if place is None:
        return None
    return Reported(words.tokens[place].word, _said_directly(words) if not several else "")


def _pronoun(words: Tail, scene: Scene, names: tuple[str, ...], *, several: bool) -> int | None:
    """Return the place of the first pronoun without anybody named before it."""
    theirs = {word for name in names for word in name.casefold().split()}
    named, here = False, words
    while not here.done:
        if not named and _is_other(here, words, several=several):
            return here.at
        named = named or _names(here, words, scene, theirs)
        here = here.skip()
    return None


def _is_other(here: Tail, words: Tail, *, several: bool) -> bool:
    word = here.word()
    if word in THIRD_PERSON or (several and word in PLURAL):
        return True
    if word in FRENCH_OBJECT or (here.take(OBJECTS) is not None and _object(here)):
        return True
    if word == SIE and not several:
        return here.at > words.at or here.word(1) not in {"sind", "haben", "kommen"}
    return word in SPANISH_OBJECT and here.at == words.at and _spanish_verb(here.word(1))


def _object(here: Tail) -> bool:
    after = here.take(OBJECTS)
    assert after is not None
    return _spanish_verb(after.word()) or after.word() in FRENCH_OBJECT_VERBS


def _spanish_verb(word: str) -> bool:
    return word.endswith(("o", "é", "ré", "mos", "oy", "ría")) and word not in SPANISH_NOUNS


def _names(here: Tail, words: Tail, scene: Scene, theirs: set[str]) -> bool:
    """Return whether the words name somebody or something here that a later pronoun may stand for."""
    word, written = here.word(), here.written()
    if word in theirs:
        return False
    capital = written[:1].isupper() and here.at > words.at and word not in {"i", "i'm", "i'll", "i've", "i'd"}
    known = (word,) in scene.people
    return capital or known or word in PEOPLE or (word in DETERMINERS and here.word(1) != "")


def _said_directly(words: Tail) -> str:
    """Return an English text in direct speech; empty if it is not certain."""
    said: list[str] = []
    here, before = words, ""
    while not here.done:
        word, written = here.word(), here.written()
        if word == "her":
            last = here.skip()
            new = "you" if last.done or last.word() in AFTER_OBJECT | DETERMINERS else "your"
        elif word in ENGLISH:
            new = ENGLISH[word]
        elif before in {"she", "he"} and word in VERBS:
            new = VERBS[word]
        elif (before in {"she", "he"} and word.endswith("s")) or word in PLURAL or not word.isascii():
            # Such a verb would have another ending, and such a word may be of another language.
            return ""
        else:
            new = written
        gap = words.source[here.tokens[here.at - 1].end : here.tokens[here.at].start] if here.at > words.at else ""
        said.append(gap + new)
        before, here = word, here.skip()
    text = "".join(said)
    return text[:1].upper() + text[1:] if text.casefold() != words.text.casefold() else ""
