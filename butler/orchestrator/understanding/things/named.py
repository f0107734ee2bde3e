"""Extracts the words to search an existing thing by: without articles, prepositions and the names of its kind."""

import re

from butler.orchestrator.understanding.said import bare
from butler.understanding.times.lexicon import folded

SMALL = frozenset(
    folded(
        "the a an my our your his her their to of about for me him them and at on in with that this it one thing "
        "der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere "
        "unseren zum zur "
        "vom von für fürs beim bei ins ans am im an mit und wegen diese dieser dieses sache ding da "
        "le la les l' un une des du de d' mon ma mes notre nos ton ta tes au aux à pour avec et sur ce cet cette celui "
        "celle ceux que qui truc "
        "el lo los las una unos unas del al mi mis nuestro nuestra para con y por ese esa este esta eso esto que cosa"
    ).split()
)
EVENTS = frozenset(
    folded(
        "meeting meetings appointment appointments event events entry entries engagement engagements "
        "termin termine terminen termins eintrag einträge kalendereintrag treffen meetings veranstaltung "
        "rendez-vous rdv réunion réunions événement événements évènement rendezvous "
        "cita citas reunión reuniones evento eventos compromiso"
    ).split()
)
"""Words for any event."""
SEVERAL_EVENTS = (
    *("meetings", "appointments", "events", "termine", "terminen", "treffen", "besprechungen"),
    *("rendez-vous", "rdv", "réunions", "citas", "reuniones"),
)
"""Words for several events."""
REMINDERS = frozenset(
    folded(
        "reminder reminders alarm alarms timer timers ping nudge erinnerung erinnerungen wecker reminder timer alarm "
        "rappel rappels alarme alarmes réveil minuteur pense-bête recordatorio recordatorios aviso avisos alarma "
        "alarmas temporizador"
    ).split()
)
POINTING = frozenset(
    folded(
        "it that this these those them one ones last latest first second third next both all number "
        "two three four bottom top zwei drei beides unterste oberste unteren oberen deux trois premiers "
        "premières dos tres "
        "letzte letzten letzter letztes erste ersten zweite zweiten dritte dritten nächste nächsten "
        "nächstes beide alle "
        "nummer eben gerade ça cela celui-là celle-là celui-ci dernier dernière premier première deuxième troisième "
        "prochain prochaine tout tous toutes numéro último última primero primer primera segundo tercero próximo "
        "próxima siguiente todo todos todas ambos número do dem de"
    ).split()
)
"""Words that point at something shown, but do not name it."""
ELIDED = re.compile(r"^[dlmtsnjDLMTSNJ]['’](?=\w)")
COMPOUND = re.compile(r"(?<=\w{3})(?:termine?|treffen|meeting)s?$", re.IGNORECASE)
"""Endings of German compounds that are removed: `Zahnarzttermin` is found by `Zahnarzt`."""


def telling(words: str, *also: frozenset[str]) -> str:
    """Return the identifying words, as written; empty if there is none."""
    left_out = SMALL.union(*also)
    found = [ELIDED.sub("", bare(word)) for word in bare(words).replace("“", " ").replace("”", " ").split()]
    return " ".join(
        _own(word) for word in found if word and folded(_own(word)) not in left_out and any(map(str.isalnum, word))
    )


def _own(word: str) -> str:
    return re.sub(r"['’]s$", "", bare(word))


def event_words(words: str) -> str:
    """Return the words to search an event by."""
    return " ".join(COMPOUND.sub("", word) for word in telling(words, EVENTS).split())


def reminder_words(words: str) -> str:
    """Return the words to search a reminder by; all words if none identifies it."""
    return telling(words, REMINDERS).casefold() or " ".join(bare(words).casefold().split())


def pointing(words: str) -> bool:
    """Return whether words only point at something, and do not name it."""
    return not telling(words, POINTING, EVENTS, REMINDERS)
