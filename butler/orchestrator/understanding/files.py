"""Builds requests about files and pages: listing folders, questions to files, and attachments of mails and messages."""

import re

from butler.contract.agents import PlanStep, When
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import KINDS, last_shown_kind
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.orchestrator.understanding.mail import builders as mail
from butler.orchestrator.understanding.mail.filters import how_many, names_mails, words_about
from butler.orchestrator.understanding.mail.meant import Meant, one_mail
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import HANDLE, MAIL_NOUN, pointed, pointing_words
from butler.orchestrator.understanding.things.refs import one_of, outside, recent, shown_alone, tappable
from butler.store.conversation import Referent
from butler.understanding.stored_words import group_in, patterns_in, whole_in
from butler.understanding.times.lexicon import folded

WHAT_TO_FIND = phrase("What shall I look for?")
WHICH_PAGE = phrase("Which page? Send me its address.")
HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
"""An address without `https://`, within marked words."""
UNDER = re.compile(r"(?<![\w@.])(?:[\w-]+\.)+[a-z]{2,}/\S+", re.IGNORECASE)
"""An address with a path, which is unmistakable even if unmarked."""
URL = re.compile(r"https?://\S+|(?:www\.)\S+\.\S+", re.IGNORECASE)
FILE = frozenset({ReferentKind.FILE})
WORDS = ("butler.orchestrator.understanding", "file_words")
ATTACHED = patterns_in(*WORDS, "attached")
"""Words for a mail's attachment."""
PATH = re.compile(r"[\w./-]*\w\.(?:pdf|docx?|odt|txt|md|rtf|xlsx?|ods|csv|pptx?)\b", re.IGNORECASE)
DRIVE = re.compile(r"\bdrive\b", re.IGNORECASE)
WHOLE_FOLDER = whole_in(*WORDS, "folder")
READ_FILE = "bot_files_read"
READ_DOCUMENT = "bot_documents_read"
FEW = 3
"""The least number of identifying words of a question to a file; fewer only open it."""


def listed(said: Said) -> PlannerOutput:
    """`which files can you read`."""
    said.need("bot_files_list")
    return calls.plan(calls.list_files(words_about(said, "folder", "topic")))


def find(said: Said) -> PlannerOutput:
    """`find [the lease](query) in my drive`."""
    words = words_about(said, "query", "topic")
    if not words:
        raise Asking(say(WHAT_TO_FIND))
    if said.scene.has("user_drive_search"):
        return calls.plan(calls.search_drive(telling(words) or words))
    said.need("bot_memory_search")
    return calls.plan(calls.search_memory(said.request.text.strip().rstrip("?! ")))


def read(said: Said) -> PlannerOutput:
    """`what does [the attached contract](ref) say about notice`; a file that was not shown is asked of memory."""
    shown = _shown(said)
    if shown is not None:
        tool = "user_drive_read" if shown.tool.startswith("user_drive") else READ_DOCUMENT
        said.need(tool)
        return calls.plan(calls.read_source(tool, "file", {"handle": shown.handle}, _asked(said)))
    if (named := _named_file(said)) is not None:
        return named
    mail = _carrier(said)
    if mail is not None:
        return _attachment(mail, said)
    if (it := _mail_itself(said)) is not None:
        return calls.plan(_reading(one_mail_shown(it)))
    said.need("bot_memory_search")
    return calls.plan(calls.search_memory(one_line(said.request.text.strip().rstrip("?!. "))))


def _named_file(said: Said) -> Planned | None:
    """Return the plan to read a file by its name (`lease.pdf`), or a Drive file if a search finds only one."""
    path = PATH.search(said.request.text)
    name = bare(said.words("topic") or said.words("ref"))
    question = one_line(bare(" ".join(said.request.words("query"))))
    if path is not None and said.scene.has(READ_FILE):
        return calls.plan(calls.read_source(READ_FILE, "path", path[0], question))
    if not name or not DRIVE.search(said.request.text) or not said.scene.has("user_drive_read"):
        return None
    every = {"recursive": True} if WHOLE_FOLDER.search(said.request.text) else {}
    read = calls.read_source("user_drive_read", "file", {"step": 1, "fact": "files.0.source_id"}, question, **every)
    only = When(step_id=1, fact="count", is_="equal", value=1)
    return calls.plan(calls.search_drive(telling(name) or name), read.model_copy(update={"when": only}))


def is_asked(said: Said, question: str) -> bool:
    """Return whether a question is about the file shown last: `and how long is the notice in it`."""
    if shown_alone(said, FILE) is None or not is_shown_last(said):
        return False
    return said.has("ref") or _has("points", question or said.request.text) or _has("joins", said.request.text)


def is_shown_last(said: Said) -> bool:
    """Return whether a file was shown or replied to last."""
    request = said.scene.request
    last = request.last_shown.kind if request.last_shown is not None else None
    return (request.replied_to[-1].kind if request.replied_to else last) is ReferentKind.FILE


def _shown(said: Said) -> Referent | None:
    """Return the shown file that is meant; None if other words name it, or none was shown."""
    if HANDLE.search(said.request.text):
        return one_of(said, FILE)
    if not recent(said, FILE) or said.has("from") or (said.has("topic") and not is_about(said)):
        return None
    last = last_shown_kind(said.scene)
    if last in KINDS and not is_shown_last(said):
        return _came_with(said)
    return one_of(said, FILE)


def _came_with(said: Said) -> Referent | None:
    """Return the file of the mail or message shown last, by its time or message."""
    carrier = shown_alone(said, KINDS)
    files = [one for one in said.scene.request.referents if one.kind is ReferentKind.FILE]
    own = [one for one in files if carrier is not None and _is_with(one, carrier)]
    number = next(iter(pointed(said.words("ref"), said.language).numbers), 1)
    return own[number - 1] if number <= len(own) else None


def _is_with(file: Referent, carrier: Referent) -> bool:
    """Return whether a file belongs to a mail: it has the same time, or comes from the same message."""
    return file.at == carrier.at and (file.at is not None or file.shown_in in {"", carrier.shown_in})


def is_about(said: Said) -> bool:
    """Return whether a topic is the subject of a question, not a file's name: `what does it say about pets`."""
    slot = next((one for one in said.request.slots if one.slot == "topic"), None)
    if slot is None:
        return False
    before = folded(said.request.text[: slot.start])
    return re.search(rf"(?<!\w){_any_of('about')}(?: \w+)?\s*$", before) is not None


def _carrier(said: Said) -> Meant | None:
    """Return the mail or message whose attachment is meant; None if no attachment is meant."""
    text = " ".join((outside(said), *said.request.words("ref"), *said.request.words("topic")))
    if said.has("from", "topic"):
        return one_mail(said) if ATTACHED.search(text) and MAIL_NOUN.search(outside(said)) else None
    shown = shown_alone(said, KINDS)
    at_issue = last_shown_kind(said.scene) in KINDS
    return one_mail_shown(shown) if shown is not None and at_issue and ATTACHED.search(text) else None


def _mail_itself(said: Said) -> Referent | None:
    """Return the mail or message shown last, if `open it` can mean nothing else."""
    request = said.scene.request
    last = request.last_shown.kind if request.last_shown is not None else None
    return shown_alone(said, KINDS) if last in KINDS and not said.has("topic", "from", "query") else None


def _reading(mail: Meant) -> PlanStep:
    tool = "user_telegram_read_message" if mail.is_message else f"{mail.side}_email_read_message"
    return calls.call(tool, say("Read the mail"), message_id=mail.reference)


def one_mail_shown(shown: Referent) -> Meant:
    """Return a shown mail or message by its handle."""
    side = "user" if shown.tool.startswith("user_") else "bot"
    return Meant({"handle": shown.handle}, shown=shown, side=side)


def _attachment(mail: Meant, said: Said) -> Planned:
    """Return the plan that reads a mail for its files, and then the file that is meant."""
    said.need(READ_DOCUMENT)
    plan = mail.then(_reading(mail))
    at = len(plan.steps)
    place = next(iter(pointed(said.words("ref"), said.language).numbers), 1) - 1
    file = {"step": at, "fact": f"message.attachments.{place}.sha256"}
    read = calls.read_source(READ_DOCUMENT, "file", file, _asked(said))
    return calls.plan(*plan.steps, read.model_copy(update={"when": When(step_id=at, fact="message.attachments")}))


def _asked(said: Said) -> str:
    """Return the question to a file; empty if it is only to be opened."""
    if said.has("query"):
        return one_line(bare(" ".join(said.request.words("query"))))
    told = telling(outside(said), POINTING, pointing_words()).split()
    return one_line(said.request.text.strip().rstrip("?!. ")) if len(told) >= FEW or said.has("topic") else ""


def page(said: Said) -> PlannerOutput:
    """`read [https://example.org](url) and tell me about shipping`."""
    said.need("bot_web_read_page")
    match = URL.search(said.request.text) or HOST.search(said.words("url")) or UNDER.search(said.request.text)
    question = one_line(bare(said.words("query")))
    if match is not None:
        return calls.plan(calls.read_source("bot_web_read_page", "url", match[0].rstrip(".,;:!?)"), question))
    shown = [one for one in said.scene.request.referents if one.kind is ReferentKind.PAGE]
    if not shown and is_shown_last(said):
        return read(said)
    if not shown:
        raise Asking(say(WHICH_PAGE))
    return calls.plan(calls.read_source("bot_web_read_page", "url", {"handle": shown[-1].handle}, question))


def _has(kind: str, text: str) -> bool:
    return re.search(rf"(?<!\w){_any_of(kind)}(?!\w)", folded(text)) is not None


def _any_of(kind: str) -> str:
    return group_in("butler.orchestrator.understanding", "memory_words", kind)


def of_mail(said: Said) -> PlannerOutput:
    """Read the mail or file that was shown last: `read [it](ref)`."""
    of_file = not said.has("from") and how_many(said) <= 1 and (is_about(said) or not names_mails(said))
    if of_file and is_shown_last(said) and not MAIL_NOUN.search(said.request.text):
        return read(said)
    return mail.read(said)


BUILDERS: dict[str, Builder] = {
    "mail.read": tappable(of_mail),
    "file.list": listed, "file.search": find, "file.read": tappable(read), "web.read": page,
}  # fmt: skip
