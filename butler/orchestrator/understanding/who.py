"""Who is meant by the words that the reader marked as a person, a group or an address."""

import re

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import Person, person_at
from butler.orchestrator.embedded.scene import Scene, words_of
from butler.orchestrator.understanding.said import Said

BEFORE = re.compile(
    r"^(?:an?|the|my|our|to|from|with|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|de[mnrs]|d(?:er|ie|as)|an|von|vom|mit|bei|"
    r"à|au|aux|a|al|la|le|les|l'|l’|d'|d’|du|de|del|des|mon|ma|mes|notre|nos|avec|mi|mis|con|el|los|las|nuestr[oa]s?)"
    r"(?:\s+|(?<=['’]))",
    re.IGNORECASE,
)
GROUP = re.compile(
    r"(?:^|\b)(?:group ?chat|group|chat|channel|thread|gruppenchat|familienchat|gruppe|kanal|runde|groupe|canal|"
    r"discussion|fil|conversation|conversación|grupo|chat de grupo)(?:\b|$)",
    re.IGNORECASE,
)
OF = re.compile(r"^(?:de la|de l['’]|des|du|de|del|d['’]|von|der|of|los|las|la|le|les)\s*", re.IGNORECASE)
PRONOUNS = frozenset(
    [
        "him",
        "her",
        "them",
        "he",
        "she",
        "they",
        "it",
        "that",
        "ihm",
        "ihr",
        "ihnen",
        "ihn",
        "sie",
        "es",
        "lui",
        "leur",
        "elle",
        "eux",
        "elles",
        "les",
        "le",
        "la",
        "lo",
        "él",
        "ella",
        "ellos",
        "ellas",
        "the",
        "guy",
        "that",
        "person",
    ]
)
KIN = (
    frozenset(
        [
            "mum",
            "mom",
            "mommy",
            "mummy",
            "mam",
            "mother",
            "ma",
            "mama",
            "mami",
            "mutti",
            "mutter",
            "maman",
            "mère",
            "mere",
            "madre",
            "mamá",
            "mamita",
            "mamma",
        ]
    ),
    frozenset(
        ["dad", "daddy", "father", "pa", "papa", "papi", "vati", "vater", "papá", "padre", "pap", "père", "pere"]
    ),
    frozenset(["brother", "bro", "bruder", "frère", "hermano"]),
    frozenset(["sister", "sis", "schwester", "sœur", "soeur", "hermana"]),
    frozenset(["husband", "hubby", "mann", "ehemann", "mari", "marido", "esposo"]),
    frozenset(["wife", "frau", "ehefrau", "femme", "mujer", "esposa"]),
    frozenset(["boss", "chef", "chefin", "patron", "patronne", "jefe", "jefa"]),
    frozenset(["grandma", "granny", "nan", "gran", "grandmother", "oma", "omi", "mamie", "mémé", "abuela"]),
    frozenset(["grandpa", "grandad", "grandfather", "opa", "papi", "pépé", "abuelo"]),
)


def people(said: Said, slot: str = "to") -> tuple[Person, ...]:
    """Everybody whom a slot's words name; raise `Asking` for somebody unknown or spoken of by a pronoun."""
    return tuple(person(words, said.scene) for words in said.request.words(slot))


def person(words: str, scene: Scene) -> Person:
    """One person or group; raise `Asking`."""
    name = without_article(words)
    if name.casefold() in PRONOUNS:
        raise Asking(say("Who is “{word}”? Say the name or write the address.", word=name))
    found = known(words, scene)
    if found is None:
        raise stranger(group_title(words) or name)
    return found


def stranger(name: str) -> Asking:
    """What to say about a name that nobody confirmed has."""
    return Asking(
        say(
            "I don't know anybody called {name}. Write the address, or add {name} under [[contacts]] in butler.toml.",
            name=name,
        ),
        stranger=name,
    )


def known(words: str, scene: Scene) -> Person | None:
    """One person or group; None for somebody whom nobody confirmed."""
    name = without_article(words)
    for said in (words, name, name.removesuffix("'s").removesuffix("’s"), group_title(words), *_kin(name)):
        tail = lex(said)
        found = person_at(tail, scene) if said else None
        if found is not None and found[1].done:
            return found[0]
    first = words_of(name)[:1]
    contacts = scene.people.get(first) if first and len(words_of(name)) > 1 and not is_group(words) else None
    return Person(name, contacts) if contacts and not name[:1].isupper() else None


def without_article(words: str) -> str:
    """A name without the articles, possessives and prepositions before it."""
    name = words.strip(' ,:;.!?"“”„«»')
    while (shorter := BEFORE.sub("", name, count=1)) != name and shorter:
        name = shorter
    return name


def is_group(words: str) -> bool:
    """Whether the words name a group or a chat by its title."""
    return GROUP.search(words) is not None


def group_title(words: str) -> str:
    """The title of a group by the words around its noun: `the family group`, `le groupe de la famille`; else empty."""
    if not is_group(words):
        return ""
    title = GROUP.sub(" ", without_article(words)).strip(' "“”„«»-,:')
    return OF.sub("", title).strip() or without_article(words)


def _kin(name: str) -> tuple[str, ...]:
    """Other words for the same relation."""
    folded = name.casefold()
    return tuple(other for group in KIN if folded in group for other in sorted(group - {folded}))
