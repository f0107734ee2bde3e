"""Reading the person's Telegram: `read my Telegram`, `what did Mum write?`, `my last messages with Mum`.

Where somebody may have written by Telegram or by mail, the owner is asked which is meant.
"""

from dataclasses import dataclass

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import account_at, sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.people import WAYS, Person, Way, owner_of, person_at, reference
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.searching import Search, look
from butler.orchestrator.planning.plan_types import PlannerOutput

LIST, HISTORY, MAILS = "user_telegram_list_dialogs", "user_telegram_get_message_history", "user_email_search_inbox"
SEE = phrases(
    "(show|read|list|see|open|check|get) [me]", "(what are|what were)", "(are there|do i have|have i got|is there|got)"
)
OVERVIEW = phrases(
    "[my|the] (telegram|tg) [inbox]",
    "[any|my|the] [new|unread|recent|latest|last] (telegram|tg) (messages|message|chats|conversations)",
    "[any|my|the] [new|unread|recent|latest|last] (messages|message|chats) (on|in|from) [my] (telegram|tg)",
    "(what's|what is) [new] (on|in) [my] (telegram|tg)",
    "anything [new] (on|in) [my] (telegram|tg)",
)
ANY = phrases("(any|my|the|all my) [new|unread|recent|latest|last] messages", "(new|unread) messages")
IN_MAIL = phrases(
    "in (his|her|their|the) (last|latest|newest|most recent) (mail|email|e-mail|message)",
    "in (his|her|their|the) (mail|email|e-mail)",
)  # fmt: skip
MY = phrases("(my|the|any|all)")
NEWEST = phrases("(last|latest|newest|recent|most recent|new|unread)")
MESSAGES = phrases("(messages|message|texts|telegrams|chat|chats|conversation)")
CHATS = frozenset({"texts", "telegrams", "chat", "chats", "conversation"})
WITH = phrases("(with|from|by|of)")
DID = phrases("[what] (did|has)", "what (does|is)")
WROTE = phrases(
    "(write|written|say|said|saying|want|send|sent|mail|mailed|email|emailed|text|texted|message|messaged)"
    " [me|us|to me|to us] [yet]",
    "(reply|replied|answer|answered) [me|us|to me|to us] [yet]",
)
VERBS = {
    **dict.fromkeys(("mail", "mailed", "email", "emailed"), Way.MAIL),
    **dict.fromkeys(("text", "texted", "message", "messaged"), Way.TELEGRAM),
}
ON = phrases("(on|in|by|via)")
NOUNS = ((phrases("(telegram|tg)"), Way.TELEGRAM), (phrases("(mail|email|e-mail|inbox|mailbox)"), Way.MAIL))
FEW, MOST = 10, 50
"""Messages of a conversation: unless told otherwise, and at most."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose messages, which way they came, and how many."""

    person: Person
    way: Way | None = None
    limit: int = FEW
    account: str = ""

    @property
    def through(self) -> dict[str, str]:
        """The account as an argument, where one was named."""
        return {"account": self.account} if self.account else {}


def chat(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to see what somebody wrote; None where it is none."""
    bare = tail.bare()
    start = bare.take(SEE) or bare
    if (after := start.take(OVERVIEW)) is not None and after.done and (start is not bare or after.at - start.at > 1):
        if not scene.has(LIST):
            raise Asking(not_set_up(LIST))
        return calls.plan(calls.list_chats())
    if (after := start.take(ANY)) is not None and after.done:
        choices = [choice("Telegram", "read my Telegram"), choice(say("Mail"), "show unread mail")]
        raise Asking(say("Messages on Telegram, or mails?"), choices)
    wanted = _said(bare, scene) or _messages(start, scene)
    return _look(wanted, scene) if wanted else None


def _said(tail: Tail, scene: Scene) -> Wanted | None:
    """`what did Anna say on Telegram?`."""
    start = tail.take(DID)
    found = person_at(start, scene) if start else None
    after = found[1].take(WROTE) if found else None
    if found is None or after is None:
        return None
    way, account, rest = _way(after, scene)
    return Wanted(found[0], way or VERBS.get(found[1].word()), account=account) if rest.done else None


def _messages(tail: Tail, scene: Scene) -> Wanted | None:
    """`my last 5 messages with Mum`, `Mum's messages`."""
    owner = owner_of(tail, scene)
    limit, noun = _limit(owner[1] if owner else tail.past(MY))
    end = noun.take(MESSAGES)
    if end is None:
        return None
    to = end.take(WITH)
    person = owner or (person_at(to, scene) if to else None)
    if person is None:
        return None
    if noun.word() == "message" and Way.TELEGRAM not in person[0].ways():
        # One mail of theirs, which may have been shown.
        return None
    way, account, rest = _way(end if owner else person[1], scene)
    way = way or (Way.TELEGRAM if noun.word() in CHATS else None)
    return Wanted(person[0], way, limit, account) if rest.done else None


def _limit(tail: Tail) -> tuple[int, Tail]:
    after = tail.take(NEWEST)
    if after is None:
        return FEW, tail
    number = count(after.word())
    return (min(number, MOST), after.skip()) if number else (FEW, after)


def _way(tail: Tail, scene: Scene) -> tuple[Way | None, str, Tail]:
    """The way, the account where one is named (`on my work Telegram`), and what follows."""
    for options, way in WAYS:
        if (after := tail.take(options)) is not None:
            return way, "", after
    inside = tail.take(ON)
    account = account_at(inside, scene) if inside else None
    for options, way in NOUNS if account else ():
        if account and (after := account[1].take(options)) is not None:
            return way, account[0], after
    return None, "", tail


def _look(wanted: Wanted, scene: Scene) -> PlannerOutput:
    person, ways = wanted.person, wanted.person.ways()
    readable = [way for way in ways if scene.has(HISTORY if way is Way.TELEGRAM else MAILS)]
    if wanted.way is None and len(readable) > 1:
        said = person.said
        raise Asking(
            say("Shall I look for what {name} wrote on Telegram, or for mail?", name=said),
            [choice("Telegram", f"what did {said} write on Telegram"), choice(say("Mail"), f"any mail from {said}")],
        )
    way = wanted.way or (readable[0] if readable else next(iter(ways), Way.MAIL))
    if way is Way.MAIL:
        return look(Search(person=person, side="user" if wanted.account else "", account=wanted.account), scene)
    if not scene.has(HISTORY):
        raise Asking(not_set_up(HISTORY))
    sure_of_account(wanted.account, HISTORY, scene)
    if Way.TELEGRAM not in ways:
        raise Asking(
            say("I have no Telegram address of {name}. Add it under [[contacts]] in butler.toml.", name=person.said)
        )
    if len(person.contacts) > 1:
        raise ask_which(person, (person,), scene, (Way.TELEGRAM,), lambda name: f"what did {name} write on Telegram")
    return calls.plan(calls.read_chat(person.name, reference(person, scene), limit=wanted.limit, **wanted.through))
