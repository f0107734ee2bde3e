"""Detects what a question asks for, in four languages, and whether a passage holds something of that kind."""

import re
from enum import StrEnum

from butler.agents.tailor.figures import MONTHS

_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag "
    "sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo"
)
_CURRENCY = r"(?:[€$£¥]|EUR|USD|GBP|CHF|euros?|dollars?|pounds?|francs?|franken|libras?|dólares)"


class Asked(StrEnum):
    """The kind of thing that an answer must contain."""

    AMOUNT = "amount"
    COUNT = "count"
    DATE = "date"
    TIME = "time"
    CONTACT = "contact"
    PERSON = "person"
    SUMMARY = "summary"
    DUE = "due"
    """Payments or tasks with their due dates."""
    ANYTHING = "anything"


_ASKED: tuple[tuple[Asked, tuple[str, ...]], ...] = (
    (
        Asked.SUMMARY,
        (
            "summari[sz]e",
            "sum (?:it|this|that|them)? ?up",
            "(?:summary|gist|overview|key points|main points|tl;?dr)",
            "zusammenfass(?:en|ung)",
            r"fasse?\b.{0,80}\bzusammen",
            "résum(?:e|er|ez|é)",
            "resum(?:e|ir|en)",
        ),
    ),
    (
        Asked.DUE,
        ("what (?:is|'s) due(?: or asked for)?", "was ist (?:alles )?fällig", "qu'est-ce qui est dû", "qué vence"),
    ),
    (Asked.TIME, ("what time", "um wie ?viel uhr", "wie spät", "à quelle heure", "a qué hora")),
    (
        Asked.AMOUNT,
        (
            "how much",
            r"what (?:does|did|do|will|is|was|are) .*\b(?:cost|price|fee|rent|total|salary|amount|deposit)",
            "wie ?viel (?:kostet|zahle|geld|miete|muss|beträgt|ist)",
            "was kosten?t?",
            "wie hoch (?:ist|sind|war)",
            "combien (?:coûte|coûtent|dois|faut|ai-je)",
            "quel est le (?:prix|montant|loyer|total)",
            "cuánto",
            "qué (?:precio|importe)",
        ),
    ),
    (Asked.COUNT, ("how many", "wie ?viele", "combien de", "cuánt[oa]s")),
    (
        Asked.DATE,
        (
            "when",
            "(?:what|which) (?:date|day|year)",
            "wann",
            "(?:an )?welche[rnms]? (?:tag|datum)",
            "quand",
            "quel jour",
            "quelle date",
            "cuándo",
            "qué (?:día|fecha)",
        ),
    ),
    (
        Asked.CONTACT,
        (
            "(?:phone|telephone) ?number",
            "e-?mail address",
            "telefonnummer",
            "e-?mail-?adresse",
            "numéro de téléphone",
            "adresse (?:e-?mail|électronique)",
            "número de teléfono",
            "correo electrónico de",
        ),
    ),
    (Asked.PERSON, ("who", "whom", "whose", "wer", "wen", "wem", "wessen", "qui", "quién", "quiénes")),
)
_PATTERNS = tuple(
    (kind, re.compile(rf"(?:^|[\s,;¿(])(?:{'|'.join(words)})\b", re.IGNORECASE)) for kind, words in _ASKED
)

_PERIOD = re.compile(
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|morning|noon|evening|night|minuten?|stunden?|tage?n?|wochen?|"
    r"monate?[ns]?|jahre?[ns]?|mittag|abends?|heures?|jours?|semaines?|mois|ans?|années?|matin|soir|minutos?|horas?|"
    r"días?|semanas?|meses|mes|años?|noche|tarde)\b",
    re.IGNORECASE,
)

_HOLDS: dict[Asked, re.Pattern[str]] = {
    Asked.AMOUNT: re.compile(rf"(?:{_CURRENCY}\s?\d|\d[\d.,'’ \u00a0]{{0,20}}\s?(?:{_CURRENCY}|%))", re.IGNORECASE),
    Asked.COUNT: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|fünf|sechs|sieben|acht|"
        r"neun|zehn|deux|trois|quatre|cinq|huit|dix|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez)\b",
        re.IGNORECASE,
    ),
    Asked.TIME: re.compile(
        r"\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|uhr|h|heures?|o'clock)\b|\b(?:noon|midnight|mittag|midi|"
        r"mediodía)\b",
        re.IGNORECASE,
    ),
    Asked.CONTACT: re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.\w|(?:\+|\b0)\d[\d ()/.-]{5,20}\d"),
    Asked.PERSON: re.compile(r"(?:^|[\s(:;])[A-ZÀ-Þ][\w'’-]+(?:\s+[A-ZÀ-Þ][\w'’-]+)?|@"),
    Asked.DATE: re.compile(
        rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}}|\.|\b)|\b(?:19|20)\d\d\b|"
        rf"\b(?:{'|'.join(_WEEKDAYS.split())})s?\b|\b\d{{1,2}}(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+|of\s+)?"
        rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b|"
        rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?\s+\d{{1,4}}|\b\d{{1,2}}(?:st|nd|rd|th)\b|"
        r"\b(?:today|tomorrow|heute|morgen|aujourd'hui|demain|hoy|mañana)\b",
        re.IGNORECASE,
    ),
}


def asked(question: str) -> Asked:
    """Return the kind of thing that a question asks for."""
    return next((kind for kind, pattern in _PATTERNS if pattern.search(question)), Asked.ANYTHING)


def holds(kind: Asked, text: str) -> bool:
    """Return whether a text contains exactly the kind of thing asked for."""
    if kind is Asked.DUE:
        return holds(Asked.DATE, text) or holds(Asked.AMOUNT, text)
    pattern = _HOLDS.get(kind)
    return pattern is None or pattern.search(text) is not None


def may_answer(kind: Asked, text: str) -> bool:
    """Return whether a text can answer such a question: "three months' rent" is an amount, "half past four" a time."""
    if holds(kind, text):
        return True
    match kind:
        case Asked.AMOUNT:
            return holds(Asked.COUNT, text)
        case Asked.DATE | Asked.TIME:
            return holds(Asked.COUNT, text) or _PERIOD.search(text) is not None
        case Asked.DUE:
            return True
        case _:
            return False
