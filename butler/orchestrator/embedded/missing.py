"""What the person missed: `what did I miss in the family chat?`, `show me the climbing group`, `catch me up`.

A chat that nobody gave a name to is looked for by its title, outside of the planner: which chat is read is no secret to
its reader, so a title that somebody else chose can do no harm there.
"""

from dataclasses import dataclass, replace

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import NOUN, account_at, each_account, sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.people import Person, Way, person_at, reference
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput

HISTORY, UPDATES, MAILS = "user_telegram_get_message_history", "user_telegram_get_updates", "user_email_search_inbox"
MISSED = phrases(
    "what (did|have) i (miss|missed)", "did i miss (anything|something)", "have i missed (anything|something)",
    "(what's|what is|anything|what was|something) new", "(catch|bring) me up", "(catch|bring) me up to (date|speed)",
    "(what's|what has|what is) (happened|happening|been going on|going on)", "what happened",
)  # fmt: skip
SHOW = phrases(
    "(show|read|open|list|get|see) [me]", "let me (see|read)", "what (is|was) (said|written)", "what do they say"
)
SAID = phrases(
    "what (did|do) (they|people|anybody|anyone|somebody|someone|everybody|everyone) (say|write)",
    "what (are|were) (they|people|everybody|everyone) (saying|writing|talking about)",
    "what is being said",
    "did (anybody|anyone|somebody|someone|they) (say|write|mention) (anything|something)",
)
ABOUT = phrases("(about|regarding|concerning)")
SEARCH = phrases("(search|look) for", "find")
SUM_UP = phrases("(summarise|summarize|recap|sum up)", "(give|get) me (a|the) (summary|recap|gist) of")
WHO_WROTE = phrases(
    "(who|has anyone|has anybody|did anyone|did anybody|has someone|has somebody) [has]"
    " (wrote|written|write|contacted|contact|reached out) [to] [me|us]",
)
TEXTED = phrases(
    "(who|has anyone|has anybody|did anyone|did anybody) [has] (texted|messaged|text|message|pinged|ping) [me|us]"
)
UNREAD = phrases(
    "[show|list|read|any] [me] [my|the] (unread|new) telegrams",
    "[show|list|read|any] [me] [my|the] unread (telegram|tg) [messages|chats]",
    "[show|list|read] [me] [my|the] unread (messages|chats) (on|in) [my] (telegram|tg)",
)  # fmt: skip
IN = phrases("(in|on|from|with|of)")
THE = phrases("(the|my|our)")
CHAT = phrases("(chat|group|channel|conversation)", "group (chat|conversation)", "chat group")
TELEGRAM = phrases("[my] (telegram|tg) [chats|messages|account]")
LATELY = phrases("yet", "today", "lately", "recently", "since then", "while i was (away|out|gone|asleep)", "meanwhile")
NEWEST = phrases("[the] (last|latest|newest|recent|most recent)")
MESSAGES = phrases("(messages|message|posts|lines)")
TELEGRAMS = frozenset({"telegram", "tg"})
MOST, FEW = 200, 20


@dataclass(frozen=True, slots=True)
class Chat:
    """The chat that is meant: somebody whom the owner gave a name, or the owner's words for a title."""

    said: str
    person: Person | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What is wanted of it."""

    chat: Chat | None = None
    words: str = ""
    unread: bool = False
    limit: int = 0
    account: str = ""
    where: str = ""
    """`telegram` or `mail`, where only one of them is meant."""


def missing(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to see what was written in a chat, or what is new everywhere; None where it is none."""
    bare = tail.bare()
    wanted = (
        _missed(bare, scene)
        or _unread(bare, scene)
        or _said_in(bare, scene)
        or _shown(bare, scene)
        or _searched(bare, scene)
    )
    return _steps(wanted, scene) if wanted else None


def _missed(tail: Tail, scene: Scene) -> Look | None:
    start = tail.take(MISSED)
    if start is None:
        return None
    rest = start.past(LATELY)
    if rest.done:
        return Look(unread=True)
    inside = rest.take(IN)
    if inside is None:
        return None
    if (account := account_at(inside, scene)) and (end := account[1].take(NOUN)) and end.past(LATELY).done:
        said = account[1].word()
        where = "telegram" if said in TELEGRAMS else "" if said == "account" else "mail"
        return Look(unread=True, account=account[0], where=where)
    if (after := inside.take(TELEGRAM)) is not None and after.past(LATELY).done:
        return Look(unread=True, where="telegram")
    chat = _chat(inside, scene, needs_noun=False)
    return Look(chat[0], unread=True) if chat and chat[1].past(LATELY).done else None


def _unread(tail: Tail, scene: Scene) -> Look | None:
    """`unread telegrams`, `who wrote to me on Telegram?`, `summarise the family chat`."""
    if (after := tail.take(UNREAD)) is not None and after.past(LATELY).done:
        return Look(unread=True, where="telegram")
    who = tail.take(WHO_WROTE)
    if who is not None and who.past(LATELY).done:
        return Look(unread=True)
    if (texted := tail.take(TEXTED)) is not None and texted.past(LATELY).done:
        return Look(unread=True, where="telegram")
    place = who.past(LATELY).take(IN) if who else None
    if place is not None and (after := place.take(TELEGRAM)) is not None and after.past(LATELY).done:
        return Look(unread=True, where="telegram")
    start = tail.take(SUM_UP)
    chat = _chat(start, scene) if start else None
    return Look(chat[0], unread=True) if chat and chat[1].past(LATELY).done else None


def _said_in(tail: Tail, scene: Scene) -> Look | None:
    """`what did they say about the boat in the family chat?`."""
    start = tail.take(SAID)
    if start is None:
        return None
    about = start.take(ABOUT)
    found = _words_in(about, scene) if about else None
    if found is not None:
        return found
    inside = start.take(IN)
    chat = _chat(inside, scene) if inside else None
    return Look(chat[0], limit=FEW) if chat and chat[1].past(LATELY).done else None


def _searched(tail: Tail, scene: Scene) -> Look | None:
    """`search for boat in the family chat`."""
    start = tail.take(SEARCH)
    return _words_in(start, scene) if start else None


def _words_in(tail: Tail, scene: Scene) -> Look | None:
    here = tail
    while (split := here.find(IN)) is not None:
        chat = _chat(split[1], scene)
        words = replace(tail, end=split[0].end)
        if chat is not None and chat[1].done and not words.done:
            return Look(chat[0], words=one_line(words.past(THE).text.strip('"“”„«» ')))
        here = split[1]
    return None


def _shown(tail: Tail, scene: Scene) -> Look | None:
    """`show me the family chat`, `the last 5 messages in the climbing group`."""
    start = tail.past(SHOW)
    newest, limit = start.take(NEWEST), FEW
    if newest is not None:
        number = count(newest.word())
        limit = min(number, MOST) if number else FEW
        noun = (newest.skip() if number else newest).take(MESSAGES)
        inside = noun.take(IN) if noun else None
    else:
        inside = start if start.at > tail.at else None
    chat = _chat(inside, scene) if inside else None
    return Look(chat[0], limit=limit) if chat and chat[1].done else None


def _chat(tail: Tail, scene: Scene, *, needs_noun: bool = True) -> tuple[Chat, Tail] | None:
    """A chat that is named here: `the family chat`, `Anna`; what is no name of the owner's needs its noun."""
    start = tail.past(THE)
    if (person := person_at(start, scene)) is not None:
        after = person[1].take(CHAT)
        if Way.TELEGRAM in person[0].ways() and (after or (not needs_noun and person[1].done)):
            return Chat(person[0].said, person[0]), after or person[1]
    here = start
    while not here.done and here.take(CHAT) is None:
        here = here.skip()
    named = start.until(here)
    if here.done or named.done:
        return None
    return Chat(named.text), here.take(CHAT) or here


def _steps(wanted: Look, scene: Scene) -> PlannerOutput:
    if wanted.chat is None:
        return _everywhere(wanted, scene)
    if not scene.has(HISTORY):
        raise Asking(not_set_up(HISTORY))
    filters = {"words": wanted.words, "unread": wanted.unread, "limit": wanted.limit}
    given = {name: value for name, value in filters.items() if value}
    chat = wanted.chat
    if chat.person is None:
        return calls.plan(calls.read_called(one_line(chat.said), **given))
    if len(chat.person.contacts) > 1:
        names = [contact.name for contact in chat.person.contacts if contact.address(Way.TELEGRAM)]
        choices = [choice(name, f"what did {name} write on Telegram") for name in names]
        raise Asking(say("Which {name} do you mean?", name=chat.said), choices)
    return calls.plan(calls.read_chat(chat.person.name, reference(chat.person, scene), **given))


def _everywhere(wanted: Look, scene: Scene) -> PlannerOutput:
    """What is new on Telegram and in the mailbox, as far as these are set up."""
    tools = {"telegram": (UPDATES,), "mail": (MAILS,)}.get(wanted.where, (UPDATES, MAILS))
    here = [tool for tool in tools if scene.has(tool)]
    if wanted.account and (fitting := [tool for tool in here if wanted.account in scene.accounts(tool)]):
        here = fitting
    if not here:
        raise Asking(not_set_up(tools[0]))
    for tool in here:
        sure_of_account(wanted.account, tool, scene)
    steps = [
        calls.missed_chats(**through)
        if tool == UPDATES
        else calls.search_mail("user", say("Look for unread mail in your inbox"), unread=True, **through)
        for tool in here
        for through in each_account(wanted.account, tool, scene)
    ]
    return calls.plan(*steps)
