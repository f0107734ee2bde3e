"""Whose mails are meant: people of the owner's contacts, addresses, and names as the owner says them."""

from collections.abc import Callable

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.day import MONTHS, WEEKDAYS
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.people import NO_NAME, PRONOUNS, Person, Way, goes_on, person_at
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene

AND = phrases(", and", "and", ",", "or", "&")
ARTICLE = phrases("(the|my|our)")
LONGEST = 4
"""Words of a name that nobody among the contacts has."""
NO_PART = (
    NO_NAME
    | PRONOUNS
    | frozenset((*WEEKDAYS, *MONTHS))
    | word_set(
        "today tomorrow yesterday tonight now later soon again first then every each weekly daily monthly always never "
        "please instead too also but except only just as under until before after since during that which who there "
        "anybody anyone everybody everyone somebody someone people whoever here week month year"
    )
)
"""Words that begin something else, whatever that is, and are no part of a name."""
WHOSE = phrase("From whom? Say the name or write the address.")

Begins = Callable[[Tail], bool]
"""Whether something else is said of the mails here."""


def senders_at(tail: Tail, scene: Scene, begins: Begins, *, sure: bool = True) -> tuple[tuple[str, ...], Tail]:
    """Names and addresses that stand here (of a contact, every address), and what follows. Raises `Asking`.

    Where it is not `sure` that somebody is named, a word that nobody is known by is asked about.
    """
    found: list[str] = []
    here = tail
    while True:
        names, here = _sender(here, scene, begins, sure=sure)
        found += names
        after = here.take(AND)
        if after is None or after.done or begins(after) or after.take(AND):
            return tuple(found), here
        here = after


def _sender(tail: Tail, scene: Scene, begins: Begins, *, sure: bool) -> tuple[tuple[str, ...], Tail]:
    person, after = person_at(tail, scene) or (None, tail)
    if person is not None and not goes_on(person, after):
        return addresses_of(person, scene, tail), after
    if (quoted := tail.quoted()) is not None and any(map(str.isalnum, quoted[0])):
        return (one_line(quoted[0]),), quoted[1]
    start = tail.past(ARTICLE)
    end = _end_of_name(start, begins)
    name = one_line(start.until(end).text)
    words = start.until(end)
    # What follows a name in another language may be anything, and a name that holds it would be nobody's.
    unlikely = scene.translated and end.at - start.at > 1 and not _is_capital(words)
    if start.at == end.at or end.at - start.at > LONGEST or name.endswith(("'s", "’s")) or unlikely:
        raise Asking(say(WHOSE))
    if _is_mixed(words) or (not sure and not _looks_like_one(words, scene)):
        raise Asking(
            say("Do you mean all that comes from “{name}”?", name=name),
            [choice(say("From “{name}”", name=name), _in_quotes(start, end))],
        )
    return (name,), end


def addresses_of(person: Person, scene: Scene, tail: Tail) -> tuple[str, ...]:
    """Every address of a person; asks which one is meant where `tail` names several."""
    if len(person.contacts) > 1:
        # Whose mails go is no more guessed than whom a message goes to.
        again = tail.source
        raise ask_which(person, (person,), scene, (Way.MAIL,), lambda name: again.replace(person.said, name, 1))
    written = [address for contact in person.contacts for address in contact.addresses]
    mails = [one.removeprefix("mail:") for one in (person.address, *written) if one.startswith("mail:")]
    return tuple(dict.fromkeys(mails)) or (person.said,)


def _end_of_name(tail: Tail, begins: Begins) -> Tail:
    here = tail
    while not here.done and here.word() not in NO_PART and any(map(str.isalnum, here.word())):
        if here.at > tail.at and (begins(here) or here.take(AND)):
            break
        here = here.skip()
    return here


def _looks_like_one(name: Tail, scene: Scene) -> bool:
    """Whether words are written as a name is. In another language a thing may be, too, so there it has one word."""
    return _is_capital(name) and not (scene.translated and name.end - name.at > 1)


def _is_capital(name: Tail) -> bool:
    return all(name.written(n)[:1].isupper() or name.word(n)[:1].isdigit() for n in range(name.end - name.at))


def _is_mixed(name: Tail) -> bool:
    """Whether a name begins small and goes on large, as in `from Bob and call Carol`."""
    return name.written()[:1].islower() and any(name.written(n)[:1].isupper() for n in range(name.end - name.at))


def _in_quotes(start: Tail, end: Tail) -> str:
    first, last = start.tokens[start.at].start, start.tokens[end.at - 1].end
    return f"{start.source[:first]}“{start.source[first:last]}”{start.source[last:]}"
