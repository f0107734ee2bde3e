"""Turns a German clause after `dass` into a main clause: `ich etwas später komme` has its verb last.

Only certain cases are reordered: subject and verb agree, and a verb with a split-off prefix is known.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from butler.orchestrator.embedded.lexer import word_set

FIRST = word_set("ich")
SECOND = word_set("du")
PLURAL = word_set("wir")
THIRD = word_set("er sie es man alles nichts jemand niemand keiner das dies wer etwas")
MANY = word_set("alle beide viele")
FORMS = {
    "ich": word_set(
        "bin habe hab war hatte hätte wäre kann muss muß will soll darf mag möchte weiß werde würde wollte konnte "
        "musste "
        "sollte durfte könnte müsste dürfte bräuchte ging kam sah fand blieb bekam"
    ),
    "du": word_set("bist hast warst hattest hättest kannst musst willst sollst darfst wirst würdest könntest"),
    "third": word_set(
        "ist hat war hatte hätte wäre kann muss muß will soll darf mag möchte weiß wird würde wollte konnte musste "
        "sollte "
        "durfte könnte müsste dürfte bräuchte ging kam sah fand blieb bekam fiel kam lag stand hielt lief"
    ),
    "wir": word_set("sind haben waren hatten hätten wären könnten würden sollten wollten mussten konnten"),
}
"""Irregular verb forms, by the subject that they go with."""
NO_VERB = word_set(
    "heute morgen gestern gerne gern bitte gute alte neue meine deine seine ihre unsere eine keine alle viele leute "
    "nicht jetzt bereits fast erst sonst selbst seit mit nächste letzte späte frühe zuhause hause bald recht echt "
    "schlecht gut wert fort statt laut kalt bekannt gesagt gemacht nett weit satt bereit dort mitte danke ende beste "
    "unterwegs da hier krank fertig spät müde"
)
"""Words that end like a verb but are none."""
AUXILIARIES = word_set("habe hab hat haben hast hatte hatten hätte hätten werde wird werden würde würden wirst")
ARTICLES = word_set(
    "der die das ein eine mein meine dein deine sein seine ihr ihre unser unsere euer eure dieser diese dieses jeder "
    "jede "
    "kein keine"
)
PLURAL_ARTICLES = word_set("die meine deine seine ihre unsere eure diese keine")
SMALL = word_set(
    "heute morgen gestern gerne bitte leider immer wieder später über unter aber oder in im am an auf aus bei mit "
    "nach zu "
    "zum zur um von vom vor für gegen ohne nicht noch schon erst mir dir ihm ihr uns euch ihnen mich dich sich"
)
"""Small words that end like an adjective but are none."""
OF = word_set("von vom der des dem den aus mit für und oder sowie bei")
"""Words after a noun that may belong to it."""
PREFIXES = (
    "zurück", "zusammen", "vorbei", "weiter", "herunter", "hinunter", "runter", "heraus", "hinaus", "raus", "herein",
    "hinein", "rein", "hoch", "heim", "fest", "teil", "statt", "weg", "nach", "vor", "mit", "los", "hin", "her", "fern",
    "ein", "bei", "aus", "auf", "ab", "an", "zu", "um",
)  # fmt: skip
STEMS = word_set(
    "komme kommt kommen gehe geht gehen fahre fährt fahren rufe ruft rufen bringe bringt bringen nehme nimmt nehmen "
    "fällt "
    "fallen falle sage sagt sagen mache macht machen schicke schickt schicken hole holt holen laufe läuft laufen ziehe "
    "zieht ziehen fange fängt fangen höre hört hören sehe sieht sehen gebe gibt geben stehe steht stehen steige steigt "
    "steigen treffe trifft treffen reise reist reisen fliege fliegt fliegen lade lädt laden lege legt legen setze "
    "setzt "
    "setzen schaue schaut schauen schließe schließt schließen warte wartet warten melde meldet melden lehne lehnt "
    "lehnen "
    "breche bricht brechen schalte schaltet schalten räume räumt räumen kaufe kauft kaufen finde findet finden halte "
    "hält halten lasse lässt lassen bleibe bleibt bleiben liefere liefert liefern zahle zahlt zahlen werfe wirft "
    "werfen "
    "schreibe schreibt schreiben kläre klärt klären stelle stellt stellen bereite bereitet bereiten lerne lernt lernen "
    "passe passt passen freue freut freuen bestelle bestellt ziehe"
)
"""Verb forms whose prefix is split off."""
WHOLE = word_set("antworte antwortet antworten bekomme bekommt bekommen erkläre abonniere abonniert unterschreibe")
BECAUSE = word_set("weil da obwohl wenn falls bevor nachdem während damit sobald solange denn um sodass")
"""Words that begin a further clause, which stays as it is."""
TITLES = word_set("herr frau dr doktor prof professor onkel tante oma opa")
WORD = re.compile(r"[^\s,;.!?]+|[,;.!?]")
CLAUSE = re.compile(r"\b(?:dass|daß)\b[\s:]*", re.IGNORECASE)
LAST_WORDS = 4
"""The most polite words that may follow a clause."""
LONGEST = 40


@dataclass(frozen=True, slots=True)
class _Front:
    """The words before the verb: their number, and the person that the verb has to agree with."""

    words: int
    person: str


def main_clause(text: str) -> str | None:
    """Return the clause with its verb in the second place; None if its order is not certain."""
    tokens = WORD.findall(text.strip().rstrip(".!"))
    if not tokens or len(tokens) > LONGEST:
        return None
    cut = next((n for n, token in enumerate(tokens) if token in {",", ";", ".", "!", "?"}), len(tokens))
    rest = tokens[cut:]
    if rest and not (rest[0] == "," and len(rest) > 1 and rest[1].casefold() in BECAUSE):
        return None
    front = _front(tokens[:cut])
    said = _ordered(tokens[:cut], front) if front is not None else None
    return _written([*said, *rest]) if said is not None else None


def sentences_in(words: str) -> Iterator[str]:
    """Yield the main clauses made of the owner's `dass` clauses, with and without their last words."""
    for match in CLAUSE.finditer(words):
        said = words[match.end() :].split()
        for end in range(len(said), max(len(said) - LAST_WORDS, 0), -1):
            if (sentence := main_clause(" ".join(said[:end]).rstrip(" .!?,"))) is not None:
                yield sentence


def _ordered(tokens: list[str], front: _Front) -> list[str] | None:
    """Return the reordered words of one clause, or of two that share their subject."""
    joint = next((n for n in range(front.words + 1, len(tokens) - 1) if tokens[n].casefold() in {"und", "aber"}), None)
    if joint is not None and _verb(tokens[joint - 1], front.person) is not None:
        first = _one(tokens[:joint], front)
        second = _second(tokens[joint + 1 :], front.person)
        return [*first, tokens[joint], *second] if first is not None and second is not None else None
    return _one(tokens, front)


def _second(tokens: list[str], person: str) -> list[str] | None:
    own = _front(tokens)
    if own is not None and own.person != "time" and (said := _one(tokens, own)) is not None:
        return said
    verb = _verb(tokens[-1], person)
    return [verb[0], *tokens[:-1], *verb[1]] if verb is not None and len(tokens) > 1 else None


def _one(tokens: list[str], front: _Front) -> list[str] | None:
    middle = [token.casefold() for token in tokens[front.words : -1]]
    if len(tokens) <= front.words or (set(middle) & AUXILIARIES) or "dass" in middle or _is_infinitive(tokens):
        return None
    verb = _verb(tokens[-1], front.person)
    return [*tokens[: front.words], verb[0], *tokens[front.words : -1], *verb[1]] if verb is not None else None


def _is_infinitive(tokens: list[str]) -> bool:
    """Return whether the clause ends in an infinitive such as `zu kommen`."""
    return len(tokens) > 2 and tokens[-2].casefold() == "zu"  # noqa: PLR2004 - the two and something before


def _front(tokens: list[str]) -> _Front | None:
    """Return the words before the verb; None if it is not certain how far they go."""
    words = [token.casefold() for token in tokens]
    if not words:
        return None
    noun = _noun_at(tokens, words)
    if noun is not None:
        return noun
    for group, person in ((FIRST, "ich"), (SECOND, "du"), (PLURAL, "wir"), (THIRD, "third"), (MANY, "wir")):
        if words[0] in group:
            return _Front(1, "any" if words[0] == "sie" else person)
    return None


def _noun_at(tokens: list[str], words: list[str]) -> _Front | None:
    """Return a subject that is a noun, such as `der neue Vertrag` or `Anna`."""
    at = 1 if words[0] in ARTICLES else 0
    while at and at < len(tokens) and tokens[at].islower() and _is_adjective(words[at]):
        at += 1
    if at >= len(tokens) or not tokens[at][:1].isupper() or words[at] in FIRST | PLURAL | THIRD | MANY:
        return None
    after = words[at + 1] if at + 1 < len(words) else ""
    named_on = at == 0 and at + 1 < len(tokens) and tokens[at + 1][:1].isupper()
    if after in OF or named_on or words[at] in TITLES:
        return None
    return _Front(at + 1, "any" if words[0] in PLURAL_ARTICLES else "third")


def _is_adjective(word: str) -> bool:
    return word.endswith(("e", "en", "er", "es")) and word not in SMALL


def _verb(token: str, person: str) -> tuple[str, list[str]] | None:
    """Return the finite verb and its split-off prefix; None if the word is no verb that agrees with the subject."""
    word = token.casefold()
    if word in NO_VERB or not token.islower() or not token.isalpha():
        return None
    if not any(_agrees(word, one) for one in (("third", "wir") if person == "any" else (person,))):
        return None
    if word in WHOLE:
        return token, []
    for prefix in PREFIXES:
        if word.startswith(prefix) and len(word) > len(prefix) + 1:
            stem = word.removeprefix(prefix)
            if stem in STEMS:
                return token[len(prefix) :], [token[: len(prefix)]]
            # `antworte` is whole, `anprobiere` is not: nobody can tell by its letters.
            return None if len(stem) > 3 and word not in FORMS.get(person, frozenset()) else (token, [])  # noqa: PLR2004
    return token, []


def _agrees(word: str, person: str) -> bool:
    if word in FORMS[person]:
        return True
    match person:
        case "ich":
            return word.endswith("e") and len(word) > 2  # noqa: PLR2004 - a stem and its ending
        case "du":
            return word.endswith("st")
        case "wir":
            return word.endswith(("en", "ern", "eln"))
        case _:
            return word.endswith(("t", "te"))


def _written(tokens: list[str]) -> str:
    said = ""
    for token in tokens:
        said += token if token in {",", ";", ".", "!", "?"} or not said else f" {token}"
    return said[:1].upper() + said[1:]
