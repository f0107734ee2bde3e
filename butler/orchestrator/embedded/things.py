"""What can be read: a page by its link, a file by its path, a Drive link, or what was shown of these."""

import re
from dataclasses import dataclass, replace

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import Planned
from butler.store.conversation import Referent

LINK = re.compile(r"https?://\S+", re.IGNORECASE)
DRIVE = re.compile(r"https?://(?:docs|drive)\.google\.com/\S+", re.IGNORECASE)
DOMAIN = re.compile(
    r"(?:www\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?:com|org|net|edu|gov|io|dev|app|info|eu|uk|de|fr|es|it|nl|ch|at|ie|us|ca|au|example)(?:/\S*)?",
    re.IGNORECASE,
)
ENDINGS = "pdf|docx?|odt|rtf|txt|md|csv|xlsx?|ods|pptx?|odp|html?|eml|ics|png|jpe?g|tiff?|webp"
PATH = re.compile(rf"(?:~?/)?(?:[\w.+-]+/)*[\w+-][\w.+-]*\.(?:{ENDINGS})", re.IGNORECASE)
FULL_PATH = re.compile(r"~?/(?:[\w.+-]+/)+[\w.+-]+")
"""From the root down; one name alone would be a command, such as `/pause`."""
QUOTED_PATH = re.compile(rf"[^\n]+\.(?:{ENDINGS})", re.IGNORECASE)
NOUNS = phrases(
    "[the|my|that|this] (file|document|page|website|site|web page|article|link|pdf|spreadsheet) [at|under|called]"
)
WEB, FILES, DOCUMENTS, DRIVE_READ = "bot_web_read_page", "bot_files_read", "bot_documents_read", "user_drive_read"


@dataclass(frozen=True, slots=True)
class Thing:
    """Something to be read, and by which argument of which tool."""

    tool: str
    argument: str
    value: str | calls.Reference


def literal_at(tail: Tail) -> tuple[Thing, Tail] | None:
    """The link or path that stands here in the owner's own words, with or without its noun, and what follows."""
    start = tail.past(NOUNS)
    written = start.written()
    if DRIVE.fullmatch(written):
        return Thing(DRIVE_READ, "file", written), start.skip()
    if LINK.fullmatch(written) or (DOMAIN.fullmatch(written) and not PATH.fullmatch(written)):
        return Thing(WEB, "url", written), start.skip()
    if PATH.fullmatch(written) or FULL_PATH.fullmatch(written):
        return Thing(FILES, "path", written), start.skip()
    if (quoted := start.quoted()) is not None and QUOTED_PATH.fullmatch(quoted[0]):
        return Thing(FILES, "path", quoted[0]), quoted[1]
    return None


def literal_in(tail: Tail) -> tuple[Tail, Thing, Tail] | None:
    """What stands before the first link or path, this, and what follows it; None where there is none, or several."""
    found: tuple[Tail, Thing, Tail] | None = None
    here = tail
    while not here.done:
        if (thing := literal_at(here)) is not None:
            if found is not None:
                return None
            found = (tail.until(here), *thing)
            here = thing[1]
        else:
            here = here.skip()
    return found


def shown(referent: Referent) -> Thing | None:
    """What was shown as something to be read; None for mails and messages, which have tools of their own."""
    handle = {"handle": referent.handle}
    match referent.kind:
        case ReferentKind.FILE if referent.tool.startswith("user_drive"):
            return Thing(DRIVE_READ, "file", handle)
        case ReferentKind.FILE if referent.tool.startswith("bot_files"):
            return Thing(FILES, "path", handle)
        case ReferentKind.FILE:
            return Thing(DOCUMENTS, "file", handle)
        case ReferentKind.PAGE:
            return Thing(WEB, "url", handle)
        case _:
            return None


def reading(thing: Thing, scene: Scene, question: str = "", *, recursive: bool = False, ocr: bool = False) -> Planned:
    """The step that reads it."""
    if not scene.has(thing.tool):
        raise Asking(not_set_up(thing.tool))
    if recursive and thing.tool == DOCUMENTS:
        raise Asking(say("That is one document; I read all of it."))
    if ocr and thing.tool != DOCUMENTS:
        raise Asking(say("I read text out of pictures only in files that you send me."))
    options = {name: True for name, said in (("recursive", recursive), ("force_ocr", ocr)) if said}
    return calls.plan(calls.read_source(thing.tool, thing.argument, thing.value, question, **options))


def folder_at(tail: Tail) -> tuple[str, Tail] | None:
    """The name of a folder that stands here, as written, in quotes or as one word."""
    if (quoted := tail.quoted()) is not None:
        return quoted
    named = tail.written()
    if not named or not (named[0].isalnum() or named[0] in "~/."):
        return None
    return named, replace(tail, at=tail.at + 1)
