"""Looking into the mailboxes: `search my mail for invoice`, `any mail from Anna?`, `show unread mail`."""

from dataclasses import dataclass, replace

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import account_at, each_account, sure_of_account
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.lexer import Tail, name_phrase, phrases, word_set
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.past import span_at
from butler.orchestrator.embedded.people import PRONOUNS, Person, Way, owner_of, person_at, unknown_name
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

LOOK = phrases(
    "(search|find|show|list|get|check|see|fetch|read|display|give) [me]",
    "(search|look|check|go|browse) [up] (through|in|into|for|on)",
    "(look|search) for",
    "(pull|bring|dig) (up|out)",
    "(i'm|i am) looking for",
    "(can|could|may) i see",
    "let me see",
    "(i need|i want) [to see]",
    "(where is|where are|where's)",
    "have any",
    "(what's|whats)",
    "which",
    "[is there|are there|have i got|do i have|did i get|got] (anything|something)",
    "[is there|are there|have i got|have i|do i have|did i get|got|did you get|do you have] any",
    "(have i got|do i have|did i get|did you get|do you have)",
    "(is there|are there)",
    "what",
    "(what is|what's) [new] (in|on|inside)",
    "open",
)
BOX_NOUN = phrases("(inbox|mailbox|mail|mails|email|emails|e-mail|e-mails) [box|inbox|account|folder]")
MANY = phrases("(mails|emails|e-mails)")
MINE, YOURS, THE = (
    phrases("my [own]", "our"),
    phrases("your [own]", "[the] (butler's|butlers)", "the butler"),
    phrases("[all] the", "all", "a", "an"),
)
ANYBODY = phrases("(did|has) (anyone|anybody|someone|somebody)", "who [has]")
EMAILED = phrases("(email|emailed|mail|mailed) [me|us]", "(write|written|wrote) [to] (me|us) by (mail|email)")
WHAT_HAS = phrases("what (has|did|have)")
ANYTHING = phrases(
    "[is there|are there|have i got|do i have|did i get|got|show me|find|find me] (anything|something|everything|all)"
)
SENT_ME = phrases(
    "[has] (mailed|emailed) [me|us]", "(mail|email) (me|us)", "(has sent|sent|send) [me|us] by (mail|email)",
    "(write|written|wrote) [to] (me|us) by (mail|email)",
)  # fmt: skip
UNREAD = phrases("(unread|new|unseen) [and unread]")
NEWEST = phrases("[the|my] (last|latest|newest|recent|most recent)")
SUBJECT = phrases(
    "with [the|a] subject [line] [of|:]", "(whose|where the) subject (is|has|contains|says)", "[that are] titled",
    "with [the] title",
)  # fmt: skip
FROM = phrases("[that came|i got] (from|by)")
ABOUT = phrases(
    "(about|regarding|concerning|mentioning|containing|with)",
    "that (mention|mentions|contain|contains|say|says)",
    "for",
)
IN, THROUGH = phrases("[that are] (in|inside)"), phrases("(through|in|into)")
TRAILING = phrases(
    "do i have", "have i got", "did i (get|receive)", "have i (received|had)", "is there", "are there", "did you get",
    "lately", "recently", "so far", "[have|has] arrived", "[have|has] (came|come) in", "[have|has] reached me",
    "i got", "i have",
)  # fmt: skip
YOU_GOT = phrases("(did you get|do you have)")
SPAN_WORDS = phrases("(since|from|in|on|after|before|this|last|yesterday|today|within|during|over)")
DESCRIBED = {
    ("user", ""): phrase("Look for mail in your inbox"),
    ("user", "unread"): phrase("Look for unread mail in your inbox"),
    ("user", "by"): phrase("Look for mail from {name} in your inbox"),
    ("user", "about"): phrase("Look for mail about “{words}” in your inbox"),
    ("user", "by about"): phrase("Look for mail from {name} about “{words}” in your inbox"),
    ("bot", ""): phrase("Look for mail in my inbox"),
    ("bot", "unread"): phrase("Look for unread mail in my inbox"),
    ("bot", "by"): phrase("Look for mail from {name} in my inbox"),
    ("bot", "about"): phrase("Look for mail about “{words}” in my inbox"),
    ("bot", "by about"): phrase("Look for mail from {name} about “{words}” in my inbox"),
}
"""What is looked for, by whose mailbox and what is known of it."""
BOXES = word_set("inbox mailbox mail mails email emails e-mail e-mails")
ARTICLES = word_set("the a an my any some word words keyword")


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for, and in whose mailbox (`user`, `bot`, or not said)."""

    side: str = ""
    words: str = ""
    sender: str = ""
    person: Person | None = None
    unread: bool = False
    limit: int = 0
    since: str = ""
    before: str = ""
    """ISO dates: the first day, and the first after it."""
    subject: str = ""
    account: str = ""


def search(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to look for mails; None where it is none."""
    if (asked := _anything(tail.bare(), scene)) is not None:
        return look(asked, scene)
    start = tail.take(LOOK) or tail
    found = _box(start.past(THROUGH), scene) or _theirs(start, scene) or _mails(start, scene)
    if found is None:
        return _words_first(tail, scene)
    # Without a verb of looking, "email ..." is one itself: "email Anna".
    here = found[1]
    if start is tail and here.at == tail.at + 1:
        if here.bare().done and tail.word() in {"email", "e-mail"}:
            return None
        several = tail.word() in {"mails", "emails", "e-mails"}
        if not (several or here.bare().done or here.take(FROM) or span_at(here, scene.now().date())):
            return None
    wanted = _filters(*found, scene)
    if wanted and not wanted.side and tail.find(YOU_GOT):
        wanted = replace(wanted, side="bot")
    return look(wanted, scene) if wanted else None


def _anything(tail: Tail, scene: Scene) -> Search | None:
    """`is there anything from Carol in my inbox`, `show me everything that Anna mailed me`."""
    anybody = tail.take(ANYBODY)
    mailed = anybody.take(EMAILED) if anybody else None
    if mailed is not None:
        return _filters(Search(), mailed, scene)
    start = tail.take(ANYTHING) or tail.take(WHAT_HAS)
    if start is None:
        return None
    found = person_at(start.past(phrases("that")), scene)
    sent = found[1].take(SENT_ME) if found else None
    if found is not None and sent is not None:
        return _filters(Search(person=found[0]), sent, scene)
    new = start.take(UNREAD)
    here = new or start
    wanted = _filters(Search(unread=new is not None), here, scene)
    in_box = any(token.word in BOXES for token in here.tokens[here.at : here.end])
    return wanted if wanted is not None and in_box else None


def _owner(tail: Tail, scene: Scene) -> tuple[str, str, Tail]:
    """Whose mailbox it is, through which account, and what follows."""
    account = account_at(tail, scene)
    if account is not None and (account[1].take(BOX_NOUN) or account[1].take(UNREAD) or account[1].take(NEWEST)):
        return "user", *account
    name = name_phrase(scene.request.butler_name, "'s")
    for option, side in ((MINE, "user"), (YOURS, "bot"), (name, "bot")):
        if (after := tail.take(option)) is not None:
            return side, "", after
    return "", "", tail.past(THE)


def _box(tail: Tail, scene: Scene) -> tuple[Search, Tail] | None:
    """A mailbox of somebody: `my inbox`, `the butler's mail`; or just `the inbox`."""
    side, account, after = _owner(tail, scene)
    end = after.take(BOX_NOUN)
    if end is None or (not side and after.word() not in {"inbox", "mailbox"}):
        return None
    return Search(side=side, account=account), end


def _theirs(tail: Tail, scene: Scene) -> tuple[Search, Tail] | None:
    """All mails of somebody: `Anna's mails`."""
    owner = owner_of(tail, scene)
    end = owner[1].past(UNREAD).take(MANY) if owner else None
    return (Search(person=owner[0], unread=owner[1].take(UNREAD) is not None), end) if owner and end else None


def _mails(tail: Tail, scene: Scene) -> tuple[Search, Tail] | None:
    """Mails of some kind: `unread mail`, `the last 5 mails`."""
    side, account, here = _owner(tail.past(phrases("any")), scene)
    wanted = Search(side=side, account=account)
    if (number := count(here.word())) and (after := here.skip().take(NEWEST)) and after.take(BOX_NOUN):
        return replace(wanted, limit=min(number, 50)), after.take(BOX_NOUN) or after
    for _ in range(3):
        if (after := here.take(UNREAD)) is not None:
            wanted, here = replace(wanted, unread=True), after
        elif (after := here.take(NEWEST)) is not None:
            number = count(after.word())
            wanted, here = replace(wanted, limit=min(number or 5, 50)), after.skip() if number else after
    end = here.take(BOX_NOUN)
    return (wanted, end) if end else None


def _words_first(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """`search for invoice in my mail`; without a place the place is asked."""
    start = tail.take(phrases("(search|look) [for]", "find"))
    if start is None or start.bare().done:
        return None
    split = start.find(IN)
    box = _box(split[1], scene) if split else None
    if split is not None and box is not None and box[1].bare().done:
        return look(replace(box[0], words=_plain(split[0])), scene)
    words = _plain(start)
    places = ((say("Your mail"), "search my mail for"), (say("The butler's inbox"), "search your inbox for"))
    choices = [choice(label, f"{said} {words}") for label, said in places]
    choices.append(choice(say("Your notes"), f"search my notes for {words}"))
    if scene.has("bot_memory_search"):
        choices.append(choice(say("What I have read"), f"search your memory for {words}"))
    if scene.has("user_drive_search"):
        choices.append(choice(say("Your Drive"), f"search my Drive for {words}"))
    raise Asking(say("Where shall I look?"), choices)


def _filters(wanted: Search, tail: Tail, scene: Scene) -> Search | None:
    """Read `from ...`, `about ...`, `in ...` in any order; None where something else stands there."""
    here = tail.bare()
    while not here.done:
        if (trail := here.take(TRAILING)) is not None:
            here = trail
            continue
        filtered = _filter(wanted, here, scene)
        if filtered is None:
            return None
        wanted, here = filtered
    return wanted


def _filter(wanted: Search, here: Tail, scene: Scene) -> tuple[Search, Tail] | None:
    if not (wanted.since or wanted.before) and (span := span_at(here, scene.now().date())) is not None:
        (since, before), after = span
        days = {"since": since.isoformat() if since else "", "before": before.isoformat() if before else ""}
        return replace(wanted, **days), after
    if (after := here.take(FROM)) is not None and not wanted.person and not wanted.sender:
        return _sender(wanted, after, scene)
    if (after := here.take(SUBJECT)) is not None and not wanted.subject:
        end = _end_of_words(after, scene)
        return (replace(wanted, subject=_plain(after.until(end))), end) if end.at > after.at else None
    if (after := here.take(IN)) is not None and (box := _box(after, scene)) is not None:
        return replace(wanted, side=box[0].side or wanted.side, account=box[0].account or wanted.account), box[1]
    if (after := here.take(ABOUT)) is not None and not wanted.words:
        end = _end_of_words(after, scene)
        return (replace(wanted, words=_plain(after.until(end))), end) if end.at > after.at else None
    return None


def _sender(wanted: Search, tail: Tail, scene: Scene) -> tuple[Search, Tail] | None:
    if (found := person_at(tail, scene)) is not None:
        return replace(wanted, person=found[0]), found[1]
    if tail.done or tail.word() in PRONOUNS:
        raise Asking(say("From whom? Say the name or write the address."))
    name = unknown_name(tail)
    end = tail.skip(len(name.split()))
    return replace(wanted, sender=name), end


def _end_of_words(tail: Tail, scene: Scene) -> Tail:
    here = tail
    while not here.done:
        place = here.take(IN)
        if here.take(FROM) or (place and _box(place, scene)):
            return here
        if here.take(SPAN_WORDS) and (span := span_at(here, scene.now().date())) and span[1].bare().done:
            return here
        here = here.skip()
    return here


def _plain(tail: Tail) -> str:
    """Search words: without articles at the beginning, quotes and signs."""
    here = tail.bare()
    while here.word() in ARTICLES and not here.skip().done:
        here = here.skip()
    return one_line(here.text.strip('"“”„«» '))


def look(wanted: Search, scene: Scene) -> Planned:
    """The step that looks for what is wanted."""
    side = wanted.side or ("user" if scene.has("user_email_search_inbox") else "bot")
    if not scene.has(f"{side}_email_search_inbox"):
        raise Asking(not_set_up(f"{'user' if not wanted.side else side}_email_search_inbox"))
    wanted = _with_address(wanted, scene)
    sure_of_account(wanted.account, f"{side}_email_search_inbox", scene)
    filters = {
        "words": wanted.words,
        "sender": one_line(wanted.sender),
        "unread": wanted.unread,
        "limit": wanted.limit,
        "since": wanted.since,
        "before": wanted.before,
        "subject": wanted.subject,
    }
    given = {name: value for name, value in filters.items() if value}
    tool = f"{side}_email_search_inbox"
    through = each_account(wanted.account, tool, scene)
    # One mail that is to be read is looked for in one place.
    wide = through if wanted.limit != 1 else through[:1]
    return calls.plan(*(calls.search_mail(side, _describe(wanted, side), **given, **account) for account in wide))


def _with_address(wanted: Search, scene: Scene) -> Search:
    person = wanted.person
    if person is None:
        return wanted
    if len(person.contacts) > 1:
        about = f" about {wanted.words}" if wanted.words else ""
        box = {"user": " in my inbox", "bot": " in your inbox"}.get(wanted.side, "")
        raise ask_which(person, (person,), scene, (Way.MAIL,), lambda name: f"any mail from {name}{about}{box}")
    address = person.address or next((a for c in person.contacts if (a := c.address(Way.MAIL))), "")
    return replace(wanted, sender=address.removeprefix("mail:") or person.said)


def _describe(wanted: Search, side: str) -> str:
    name = wanted.person.said if wanted.person else wanted.sender
    return say(DESCRIBED[side, _kind(wanted)], name=name, words=wanted.words)


def _kind(wanted: Search) -> str:
    by, about = "by" if wanted.sender else "", "about" if wanted.words else ""
    return f"{by} {about}".strip() or ("unread" if wanted.unread else "")
