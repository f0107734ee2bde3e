"""Turns a message with its recipients, way and text into steps; asks rather than guesses if one is missing."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from butler.contract.speech import say, say_list
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.later import put_off, said_in_words
from butler.orchestrator.embedded.people import Person, Way, join, names_for, reference, written
from butler.orchestrator.embedded.say import one_line, subject_of
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Choice, Planned

SAVES = "user_email_draft_message"
WordsFor = Callable[[str], str]
"""Makes a request for recipients named otherwise."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The understood parts of a message to be sent."""

    people: tuple[Person, ...]
    text: str
    way: Way | None = None
    subject: str = ""
    as_butler: bool = False
    """Whether it goes out from the butler's own accounts, in its own name."""
    unsent: bool = False
    """A mail that is saved in the person's Drafts instead of being sent."""
    account: str = ""
    """The owner's account that the request names."""
    at: datetime | None = None
    """The local time to send it at."""

    def tool(self, way: Way) -> str:
        """Return the tool that sends the message this way, or saves it unsent."""
        if self.unsent:
            return SAVES
        return way.tool.replace("user_", "bot_", 1) if self.as_butler else way.tool

    @property
    def is_worded(self) -> bool:
        """Whether the message is complete enough; a draft may have just a subject."""
        return bool(self.text or (self.unsent and self.subject))

    @property
    def names(self) -> str:
        """The recipients as the owner named them, for a request."""
        return join([person.said for person in self.people])

    @property
    def said(self) -> str:
        """The recipients as the owner named them, for a question to the owner."""
        return say_list([person.said for person in self.people])

    def words(self) -> str:
        """Return a request in words for this message."""
        return self.words_for(self.names)

    def words_for(self, names: str) -> str:
        """Return a request in words for this message to recipients named otherwise."""
        sender = " from you" if self.as_butler else f" from my {self.account} account" if self.account else ""
        sender += f" {said_in_words(self.at)}" if self.at else ""
        if self.way is None:
            return f"tell {names}{sender}: {self.text}"
        if self.way is Way.TELEGRAM:
            return f"send {names} a Telegram message{sender}: {self.text}"
        subject = f' with subject "{self.subject}"' if self.subject else ""
        if self.unsent:
            return f"draft a mail to {names}{sender}{subject}{f': {self.text}' if self.text else ''}"
        return f"send {names} a mail{sender}{subject}: {self.text}"


def settle(draft: Draft, scene: Scene) -> Planned:
    """Return the plan that sends a draft, at its time if it has one."""
    plan = _settled(draft, scene)
    return put_off(plan, draft.at, scene) if draft.at else plan


def _settled(draft: Draft, scene: Scene) -> Planned:
    for person in draft.people:
        if len(person.contacts) > 1:
            ways = (draft.way,) if draft.way else tuple(Way)
            raise ask_which(person, draft.people, scene, ways, draft.words_for if draft.is_worded else None)
    if not draft.is_worded:
        raise Asking(_what_to_say(draft))
    way = _way(draft, scene)
    tool = draft.tool(way)
    sure_of_account(draft.account, tool, scene)
    account = {"account": draft.account} if draft.account else {}
    references = [reference(person, scene) for person in draft.people]
    names = [person.name for person in draft.people]
    if way is Way.MAIL:
        subject = one_line(draft.subject) or subject_of(draft.text)
        write = calls.draft_mail if draft.unsent else calls.send_mail
        return calls.plan(write(tool, say_list(names), _unlike(references), subject, draft.text, **account))
    named = {tuple(to.items()): name for name, to in zip(names, references, strict=True)}
    return calls.plan(*(calls.send_telegram(tool, name, dict(to), draft.text, **account) for to, name in named.items()))


def ask_which(
    person: Person, people: tuple[Person, ...], scene: Scene, ways: tuple[Way, ...], words_for: WordsFor | None
) -> Asking:
    """Return the question which of several namesakes is meant, with a button for each if `words_for` is given."""
    choices = _namesakes(person, people, scene, ways, words_for) if words_for else []
    return Asking(say("Which {name} do you mean?", name=person.said), choices)


def _namesakes(
    person: Person, people: tuple[Person, ...], scene: Scene, ways: tuple[Way, ...], words_for: WordsFor
) -> list[Choice]:
    choices: list[Choice] = []
    for contact in person.contacts:
        for name in names_for(contact, scene, ways):
            names = join([name if other is person else other.said for other in people])
            choices.append(choice(f"{contact.name} ({_told_apart(contact.addresses, name)})", words_for(names)))
    return choices


def _told_apart(addresses: tuple[str, ...], name: str) -> str:
    known = [written(address) for address in addresses]
    return name if name in known else ", ".join(known) or name


def _way(draft: Draft, scene: Scene) -> Way:
    common = [way for way in Way if all(way in person.ways() for person in draft.people)]
    usable = [way for way in common if scene.has(draft.tool(way))]
    if draft.way is None:
        if len(usable) == 1:
            return usable[0]
        if usable:
            raise Asking(say("Which way shall I send it to {names}?", names=draft.said), _other_ways(draft, usable))
        if common:
            raise Asking(" ".join(not_set_up(draft.tool(way)) for way in common))
        raise Asking(_no_address(draft))
    if draft.way not in common:
        raise Asking(_no_address(draft), _other_ways(draft, usable))
    if draft.way not in usable:
        raise Asking(not_set_up(draft.tool(draft.way)), _other_ways(draft, usable))
    return draft.way


def _other_ways(draft: Draft, ways: list[Way]) -> list[Choice]:
    """Return a button for each possible way to send; none for an unsent draft."""
    if draft.unsent:
        return []
    return [
        choice(say("{way}: {text}", way=way.label, text=draft.text), replace(draft, way=way).words()) for way in ways
    ]


def _no_address(draft: Draft) -> str:
    if draft.way is None:
        lacking = [p.said for p in draft.people if not p.ways()]
        if not lacking:
            return say("There is no one way that reaches {names}. Say it for each of them.", names=draft.said)
        return say(
            "I have no address of {names}. Write it, or add it under [[contacts]] in butler.toml.",
            names=say_list(lacking),
        )
    lacking = say_list([p.said for p in draft.people if draft.way not in p.ways()])
    if draft.way is Way.TELEGRAM:
        return say(
            "I have no Telegram address of {names}. Write it, or add it under [[contacts]] in butler.toml.",
            names=lacking,
        )
    return say(
        "I have no mail address of {names}. Write it, or add it under [[contacts]] in butler.toml.", names=lacking
    )


def _what_to_say(draft: Draft) -> str:
    return say(
        "What shall I write to {names}? Say it in one go, like “{example}”.", names=draft.said, example=_example(draft)
    )


def _example(draft: Draft) -> str:
    """Return an example of a complete request."""
    if draft.as_butler or draft.account or draft.subject:
        return replace(draft, text=say("see you at eight")).words()
    match draft.way:
        case None:
            return say("tell {names}: see you at eight", names=draft.said)
        case Way.TELEGRAM:
            return say("send {names} a Telegram message: see you at eight", names=draft.said)
        case Way.MAIL:
            return say("send {names} a mail: see you at eight", names=draft.said)


def _unlike(references: list[dict[str, str]]) -> list[dict[str, str]]:
    return [one for n, one in enumerate(references) if one not in references[:n]]
