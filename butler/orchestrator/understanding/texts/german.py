"""Turns spoken German clauses after `dass` into main clauses.

`main_clause` reorders the words if their order is certain; this module handles spoken forms: no verb ending (`ich
später komm`), `ich's`, a second clause after a comma.
"""

import re

from butler.orchestrator.embedded.main_clause import main_clause
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.understanding.texts.text_words import group, plain, whole

SPOKEN = re.compile(rf"\b({group('contracted')})['’]s\b", re.IGNORECASE)
"""`es`, contracted with the word before it."""
JOINED = re.compile(rf",\s+({group('joined')})\b", re.IGNORECASE)
OTHERS = whole("uncertain")
"""Words that begin a clause whose order is not certain."""
SUBJECT_AND_VERB = 2
"""The number of words of a clause with only one order: `Donnerstag passt`."""
BUT = re.compile(rf"(?<!,)\s+{group('but')}\b")
BECAUSE = re.compile(rf"(?<![,;])\s+(?={group('further')}\b)", re.IGNORECASE)
"""The place of a missing comma before a further clause."""


def sentence_of(clause: str) -> str | None:
    """Return a clause after `dass` as a main clause; None if it is not certain."""
    if len(clause.split()) == SUBJECT_AND_VERB:
        return capital(clause.strip())
    said = BECAUSE.sub(", ", SPOKEN.sub(r"\1 es", clause.strip().rstrip(".!")))
    if OTHERS.search(said):
        return None
    whole = _spoken(said) or BUT.sub(", aber", _spoken(JOINED.sub(r" \1", said)) or "")
    if whole or "," not in said:
        return whole or None
    first, _, rest = said.partition(",")
    begins = _spoken(first)
    if begins is None:
        return None
    later = rest.strip()
    return f"{begins.rstrip('.')}, {_small(_spoken(later) or later)}"


def _spoken(clause: str) -> str | None:
    """Return the main clause, even if the verb has lost its ending."""
    last = clause.rsplit(maxsplit=1)[-1].casefold()
    without = clause.casefold().startswith("ich ") and last.isalpha() and not last.endswith(("e", "n", "t"))
    return main_clause(clause) or (main_clause(f"{clause}e") if without else None)


def _small(sentence: str) -> str:
    """Return a sentence for after a comma: pronouns and articles lose their capital."""
    first = sentence.split(maxsplit=1)[0]
    return sentence[:1].lower() + sentence[1:] if first in plain("small_behind_comma") else sentence
