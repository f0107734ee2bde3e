"""Builds the step that searches the mailboxes, with its description."""

from dataclasses import dataclass, replace

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.accounts import each_account, sure_of_account
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.draft import ask_which
from butler.orchestrator.embedded.people import Person, Way
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned

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
"""Descriptions of searches, by whose mailbox and by what is given."""


@dataclass(frozen=True, slots=True)
class Search:
    """The search's terms, and whose mailbox (`user`, `bot`, or not said)."""

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
    attachment: bool = False
    starred: bool = False
    important: bool = False


def look(wanted: Search, scene: Scene) -> Planned:
    """Return the plan that searches the mailboxes."""
    side = wanted.side or ("user" if scene.has("user_email_search_inbox") else "bot")
    if not scene.has(f"{side}_email_search_inbox"):
        raise Asking(not_set_up(f"{'user' if not wanted.side else side}_email_search_inbox"))
    wanted = _with_address(wanted, scene)
    sure_of_account(wanted.account, f"{side}_email_search_inbox", scene)
    filters = {
        "words": wanted.words,
        "sender": one_line(wanted.sender),
        "unread": wanted.unread,
        "attachment": wanted.attachment,
        "starred": wanted.starred,
        "important": wanted.important,
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
