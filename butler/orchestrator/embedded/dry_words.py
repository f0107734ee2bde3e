"""Words that ask what a waiting card would do: "show me what it would do", "dry run". They never ask for it."""

from enum import Enum, auto

from butler.contract.speech import phrase
from butler.orchestrator.embedded.lexer import lex, name_phrase, phrases
from butler.orchestrator.embedded.manners import without_manners

ONLY_CARDS = phrase(
    "I can only show that of a card that waits, so nothing was planned or done. Ask for it as usual, and reply to its "
    "card with “dry run”; what passes by a rule of yours has no card."
)
_ENGLISH = (
    "[just|only] (show|tell) me what (it|this|that|you) would do",
    "what would (it|this|that|you) do [if i approve|if i approved|if i said yes|if i tap approve]",
    "what would happen [if i approve|if i approved|if i said yes|if i tap approve]",
    "[do|make|run] [a|it as a] dry (run|-run)", "dry-run [it|this|that]", "[do|make|run] a dry-run",
    "dry run [it|this|that]",
    "[just|only] show me [,|and] (don't|do not) (do|send) (it|this|that|anything) [yet]",
    "[just|only] show (it|this|that) [,|and] (don't|do not) (do|send) it [yet]",
)  # fmt: skip
_GERMAN = (
    "(zeig|zeige) [mir] [nur|mal|bitte] [,] was (du|es|das|die) [damit] (tun|machen) (würdest|würde)",
    "(zeig|zeige) [mir] [nur|mal|bitte] [,] was [dann|dabei] (passieren|geschehen) würde",
    "was (würdest du|würde es|würde das) [da|dann|damit] (tun|machen)",
    "was würde [dann|dabei] (passieren|geschehen)",
    "[mach|mache] [einen|ein] (probelauf|testlauf|trockenlauf)",
    "(zeig|zeige) [es] [mir] nur [,] (mach|tu) es nicht",
    "(zeig|zeige) [es] mir [nur] [,] (mach|tu) es [aber] nicht",
)
_FRENCH = (
    "(montre-moi|montrez-moi|dis-moi) ce que (ça ferait|cela ferait|tu ferais|vous feriez)",
    "(montre-moi|montrez-moi|dis-moi) ce qui se passerait",
    "(que ferais-tu|que feriez-vous|qu'est-ce que tu ferais|qu'est-ce que ça ferait|tu ferais quoi|ça ferait quoi)",
    "[fais|faites] [un] essai à blanc",
    "[fais|faites] [une] simulation",
    "(montre-moi|montrez-moi) [juste|seulement] [,|et] ne le (fais|faites) pas",
    "(montre|montrez) [-le] [juste|seulement] [,|et] ne le (fais|faites) pas",
)
_SPANISH = (
    "(muéstrame|enséñame|dime) (qué|que|lo que) (haría|harías|pasaría|ocurriría)",
    "(qué|que) (haría|harías|pasaría|ocurriría)",
    "[haz] [un] simulacro",
    "[haz] [una] (simulación|prueba en seco)",
    "[haz] [un] ensayo en seco",
    "[solo|sólo] (muéstramelo|muéstrame|enséñamelo) [solo|sólo] [,|, pero|y|pero] no lo hagas",
)
_ASKED = phrases(*_ENGLISH, *_GERMAN, *_FRENCH, *_SPANISH)
_MANNERS = phrases(
    ",", "!", ".", "?", "please", "bitte", "s'il te plaît", "s'il vous plaît", "por favor", "first", "erst",
    "zuerst", "d'abord", "primero",
)  # fmt: skip
_SPANISH_SIGNS = str.maketrans("¿¡", "  ")


class DryAsked(Enum):
    """What such words are about."""

    CARD = auto()
    REQUEST = auto()
    """Something that stands behind them, which nobody was asked about yet."""


def dry_asked(words: str, butler_name: str) -> DryAsked | None:
    """Whether the owner's words, from the first to the last, ask for a dry run; None where they are anything else."""
    here = without_manners(lex(words.translate(_SPANISH_SIGNS)), butler_name)
    name = name_phrase(butler_name)
    while (after := here.take(_MANNERS) or here.take(name)) is not None:
        here = after
    if here.done or (asked := here.take(_ASKED)) is None:
        return None
    if not asked.done and asked.word() == ":":
        return DryAsked.REQUEST
    while (after := asked.take(_MANNERS) or asked.take(name)) is not None:
        asked = after
    return DryAsked.CARD if asked.done else None
