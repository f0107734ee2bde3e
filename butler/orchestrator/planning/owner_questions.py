"""Decides whose words may answer a question about the owner.

Anybody can write to the owner, and what is written is remembered. So a mail that says "your passport number is ..." is
what its writer wants to be believed, not what is known. Three rules, by the author of a passage:

- A stranger's words never answer what identifies the owner, opens something of theirs or pays for them.
- Other questions about the owner's own matters are answered by the owner's notes alone if these hold the answer.
- Everything else is answered from anything that fits, with its source below.

A note is about one thing: "my boat number is ..." does not answer a question for the passport's, however similar.
"""

import re
from collections.abc import Sequence
from typing import Final

from butler.agents.tailor.questions import asked, may_answer
from butler.agents.tailor.terms import terms
from butler.contract.agent_ports import MemoryKind
from butler.contract.agents import RetrievedContext
from butler.contract.provenance import Labelled, Trust
from config.agents import MIN_RELEVANCE

FITS: Final = MIN_RELEVANCE
"""The least relevance of a passage from the right source."""
_SENT_BY_ANYBODY: Final = frozenset({MemoryKind.MAIL.value, MemoryKind.CHAT.value, MemoryKind.PAGE.value})

_MINE: Final = r"(?:my|our|mein(?:e[nmrs]?)?|unser(?:e[nmrs]?)?|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?)"
_OWN: Final = re.compile(
    rf"\b(?:{_MINE}|mine|i|me|ich|mir|mich|je|moi|mí[oa]s?|yo|vivo|nací|llamo)\b|\bj['’]", re.IGNORECASE
)
_IDENTIFIES: Final = (
    # English
    r"passports?|identity card|id card|id number|driv(?:er|ing)['’]?s? licen[cs]e|licen[cs]e number|"
    r"social security|ssn|national insurance|insurance number|policy number|tax (?:id|number|code)|iban|bank account|"
    r"(?:bank|account|sort|routing|card) (?:number|code|details)|credit card|debit card|cvv|pin|pin code|puk|"
    r"pass ?words?|pass ?codes?|pass ?phrase|security (?:code|question|answer)|seed phrase|recovery codes?|"
    r"(?:safe|alarm|door|gate|locker|padlock|lock|wi-?fi|router|vault|entry) (?:code|combination|key|password)|"
    r"date of birth|birth ?date|birth ?place|place of birth|maiden name|blood (?:type|group)|user ?name|login name|"
    # German
    r"reisepass\w*|pass-?nummer|personalausweis\w*|ausweis-?nummer|führerschein\w*|sozialversicherungs\w*|"
    r"versicherungsnummer|versichertennummer|steuer-?(?:id|nummer|identifikationsnummer)|kontonummer|kontodaten|"
    r"bankverbindung|bankleitzahl|kreditkarte\w*|kartennummer|geheimzahl|pass[wv]or[dt]\w*|kennwor[dt]\w*|zugangscode|"
    r"(?:tresor|alarm|tür|schließfach|schloss|wlan|router)-?(?:code|kombination|schlüssel|passwort)|geburtsdatum|"
    r"geburtsort|geburtsname|mädchenname|blutgruppe|(?:benutzer|nutzer)name|"
    # French
    r"passeport|carte d['’]identité|permis de conduire|sécurité sociale|"
    r"numéro (?:fiscal|d['’]assuré|de compte|de carte)|rib|carte (?:bancaire|de crédit|bleue)|compte bancaire|"
    r"mot de passe|code (?:pin|secret|de sécurité|du coffre|de l['’]alarme|de la porte|wi-?fi|d['’]entrée)|"
    r"date de naissance|lieu de naissance|nom de jeune fille|groupe sanguin|identifiant|"
    # Spanish
    r"pasaporte|dni|documento de identidad|carn[eé] de conducir|permiso de conducir|seguridad social|nif|"
    r"número (?:fiscal|de cuenta|de tarjeta|de seguro|de póliza)|cuenta bancaria|tarjeta (?:de crédito|bancaria)|"
    r"contraseña|clave|código (?:pin|secreto|de seguridad|de la (?:caja|alarma|puerta)|del wi-?fi)|"
    r"fecha de nacimiento|lugar de nacimiento|grupo sanguíneo|nombre de usuario"
)
_WHOEVER_HAS_IT: Final = (
    r"(?:(?:phone|telephone|mobile|cell) number|address|post ?code|zip code|birthday|name|"
    r"(?:telefon|handy|mobil)-?nummer|adresse|anschrift|postleitzahl|geburtstag|"
    r"numéro de (?:téléphone|portable)|code postal|anniversaire|nom|"
    r"número de (?:teléfono|móvil)|código postal|dirección|domicilio|cumpleaños|nombre|apellidos?)"
)
"""Attributes that others have too: "my phone number" is the owner's, "my dentist's phone number" is not."""
_KINDS_OF_IT: Final = (
    r"(?:(?:home|own|new|old|current|work|postal|mailing|private|full|middle|last|first|e-?mail|"
    r"eigene|neue|alte|aktuelle|private|nouvelle|nouveau|ancienne|propre|nuev[oa]|propi[oa]) )"
)
_PHRASES: Final = (
    r"where (?:do )?i live|(?:when|where) was i born|how old am i|what am i called|who am i|"
    r"wo wohne ich|wann (?:bin|wurde) ich geboren|wie (?:alt bin|hei(?:ß|ss)e) ich|"
    r"où (?:j['’]habite|est-ce que j['’]habite|habité-je)|quel âge ai-je|comment je m['’]appelle|suis-je née?|"
    r"dónde vivo|cuándo nací|cuántos años tengo|cómo me llamo"
)
_IDENTIFYING: Final = re.compile(
    rf"\b(?:{_IDENTIFIES}|{_MINE} {_KINDS_OF_IT}?{_WHOEVER_HAS_IT}|{_PHRASES})\b", re.IGNORECASE
)


_THING: Final = r"(?P<thing>[^.?!:=\n]{1,60}?)"
_ASKS: Final = re.compile(rf"\b(?P<mine>{_MINE})\s+{_THING}\s*(?:[.?!\n]|$)", re.IGNORECASE)
_SAYS: Final = re.compile(
    rf"\b(?P<mine>{_MINE})\s+{_THING}\s*(?:\b(?:is|are|ist|sind|lautet|est|sont|es|son)\b|[:=])", re.IGNORECASE
)
_LANGUAGES: Final = (("my", "our"), ("mein", "unser"), ("mon", "ma", "mes", "notre", "nos"), ("mi", "nuestr"))
_HEADS: Final = tuple(
    frozenset(words.split())
    for words in (
        "number numbers no nr nummer nummern numéro número num",
        "code codes código combination kombination",
        "password passwords passwort kennwort contraseña clave",
        "pin puk geheimzahl",
        "address adresse anschrift dirección domicilio",
        "date datum fecha",
        "key schlüssel clé llave",
        "name nom nombre",
        "licence license permit",
        "insurance versicherung assurance seguro",
        "account konto compte cuenta",
        "card karte carte tarjeta",
    )
)
"""Attributes that many things have; the word beside one says whose it is."""
_HEAD_OF: Final = {word: number for number, words in enumerate(_HEADS) for word in words}
_ENDS: Final = tuple((word, number) for word, number in _HEAD_OF.items() if len(word) >= len("code"))
"""German compounds also end in these words."""


def of_another_thing(question: str, text: str) -> bool:
    """Return whether everything that a text says about the owner is plainly about something else than the question.

    Both must name, in one language, the same attribute of many things, such as a number, and share no other word. In
    doubt, return False.
    """
    wanted = _ASKS.search(question)
    matchs = list(_SAYS.finditer(text))
    return wanted is not None and bool(matchs) and all(_differ(wanted, one) for one in matchs)


def _differ(wanted: re.Match[str], told: re.Match[str]) -> bool:
    if _language(wanted["mine"]) != _language(told["mine"]):
        return False
    (heads, rest), (others, other_rest) = _parts(wanted["thing"]), _parts(told["thing"])
    if not heads & others or not rest or not other_rest:
        return False
    return not any(a in b or b in a for a in rest for b in other_rest)


def _language(mine: str) -> int:
    return next(n for n, beginnings in enumerate(_LANGUAGES) if mine.casefold().startswith(beginnings))


def _parts(thing: str) -> tuple[frozenset[int], frozenset[str]]:
    """Split a named thing into attributes that many things have, and the words (or first half of a compound) beside."""
    heads: set[int] = set()
    rest: set[str] = set()
    for word in re.findall(r"\w+", thing.casefold()):
        head, before = max(
            ((number, word[: -len(name)]) for name, number in _ENDS if word.endswith(name)),
            default=(-1, word),
            key=lambda one: -len(one[1]),
        )
        if word in _HEAD_OF or (head >= 0 and before):
            heads.add(_HEAD_OF.get(word, head))
        left = "" if word in _HEAD_OF else before
        rest |= {left.rstrip("s")} if terms(left) else set()
    return frozenset(heads), frozenset(rest)


def is_of_the_owner(question: str) -> bool:
    """Return whether a question is about the owner's own matters ("my", "mein", "mon", "mi")."""
    return _OWN.search(question) is not None


def identifies_the_owner(question: str) -> bool:
    """Return whether a question asks for what identifies the owner, opens something of theirs or pays for them."""
    return is_of_the_owner(question) and _IDENTIFYING.search(" ".join(question.split())) is not None


def believable(question: str, chunks: Sequence[RetrievedContext]) -> tuple[RetrievedContext, ...]:
    """Return the passages that may answer a question, in the order they came; maybe none.

    The owner may ask about anything they named without a search (relevance 1), whoever wrote it.
    """
    if not is_of_the_owner(question):
        return tuple(chunks)
    chunks = [one for one in chunks if not (_by_owner(one) and of_another_thing(question, one.content))]
    kind = asked(question)
    known = any(_by_owner(one) and one.relevance_score >= FITS and may_answer(kind, one.content) for one in chunks)
    if not known and not identifies_the_owner(question):
        return tuple(chunks)
    return tuple(one for one in chunks if not _by_a_stranger(one))


def others_speak(chunks: Sequence[RetrievedContext]) -> bool:
    """Return whether any of these passages is by a stranger."""
    return any(map(_by_a_stranger, chunks))


def _by_owner(chunk: RetrievedContext) -> bool:
    return bool(chunk.origins) and all(origin.trust is Trust.OWNER for origin in chunk.origins)


def _by_a_stranger(chunk: RetrievedContext) -> bool:
    tainted = Labelled(value=chunk, origins=frozenset(chunk.origins)).tainted
    return tainted and chunk.kind in _SENT_BY_ANYBODY and chunk.relevance_score < 1
