"""Notes, memory, files and pages."""

import re

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.say import capital, one_line
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.mail import words_about
from butler.orchestrator.understanding.refs import one_of
from butler.orchestrator.understanding.said import Builder, Said, bare
from butler.store.conversation import Referent

WHAT_TO_KEEP = phrase("What shall I remember?")
WHAT_TO_FIND = phrase("What shall I look for?")
WHICH_FILE = phrase("Which file do you mean?")
WHICH_PAGE = phrase("Which page? Send me its address.")
URL = re.compile(r"https?://\S+|(?:www\.)\S+\.\S+", re.IGNORECASE)
FILE = frozenset({ReferentKind.FILE})


def keep(said: Said) -> PlannerOutput:
    """`note that [the spare key is with mrs patel](text)`."""
    said.need("bot_notes_remember")
    kept = [one for one in said.request.slots if one.slot in {"text", "reported", "query", "topic"}]
    text = bare(kept[0].text) if kept else ""
    url = said.words("url")
    if url and url not in text:
        text = f"{text}: {url}" if text else url
    if not text:
        raise Asking(say(WHAT_TO_KEEP))
    return calls.plan(calls.remember(capital(text)))


def notes(said: Said) -> PlannerOutput:
    """`what did I note about [the key](query)`."""
    said.need("bot_notes_search")
    return calls.plan(calls.search_notes(words_about(said, "query", "topic")))


def ask(said: Said) -> PlannerOutput:
    """`when does my lease end`: the whole question goes to memory."""
    said.need("bot_memory_search")
    question = bare(said.words("query")) or said.request.text.strip()
    return calls.plan(calls.search_memory(question.rstrip("?! ")))


def forget(said: Said) -> PlannerOutput:
    """`forget what you know about [northwind](topic)`."""
    said.need("bot_memory_forget")
    shown = [one for one in said.scene.request.referents if one.kind is ReferentKind.SOURCE]
    if said.has("ref") and shown:
        found = one_of(said, frozenset({ReferentKind.SOURCE}))
        if found is not None:
            return calls.plan(calls.forget(source={"handle": found.handle}))
    words = words_about(said, "topic", "query")
    if not words:
        raise Asking(say("What shall I forget?"))
    return calls.plan(calls.forget(words=words))


def sources(said: Said) -> PlannerOutput:
    """`what do you know about [northwind](topic)`."""
    said.need("bot_memory_list")
    words = words_about(said, "topic", "query")
    return calls.plan(calls.list_memory(**({"words": words} if words else {})))


def files(said: Said) -> PlannerOutput:
    """`which files can you read`."""
    said.need("bot_files_list")
    return calls.plan(calls.list_files(words_about(said, "folder", "topic")))


def find(said: Said) -> PlannerOutput:
    """`find [the lease](query) in my drive`."""
    words = words_about(said, "query", "topic")
    if not words:
        raise Asking(say(WHAT_TO_FIND))
    if said.scene.has("user_drive_search"):
        return calls.plan(calls.search_drive(words))
    said.need("bot_memory_search")
    return calls.plan(calls.search_memory(said.request.text.strip().rstrip("?! ")))


def read(said: Said) -> PlannerOutput:
    """`what does [the attached contract](ref) say about notice`; a file that was not shown is asked of memory."""
    shown = _file(said)
    question = one_line(said.request.text.strip().rstrip("?!. "))
    if shown is not None:
        tool = "user_drive_read" if shown.tool.startswith("user_drive") else "bot_documents_read"
        said.need(tool)
        return calls.plan(calls.read_source(tool, "file", {"handle": shown.handle}, question))
    return calls.plan(calls.search_memory(question))


def _file(said: Said) -> Referent | None:
    request = said.scene.request
    shown = [one for one in request.replied_to or request.referents if one.kind is ReferentKind.FILE]
    if not shown or said.has("topic", "from"):
        return None
    return one_of(said, FILE)


def page(said: Said) -> PlannerOutput:
    """`read [https://example.org](url) and tell me about shipping`."""
    said.need("bot_web_read_page")
    match = URL.search(said.request.text)
    question = one_line(bare(said.words("query")))
    if match is not None:
        return calls.plan(calls.read_source("bot_web_read_page", "url", match[0].rstrip(".,;:!?)"), question))
    shown = [one for one in said.scene.request.referents if one.kind is ReferentKind.PAGE]
    if not shown:
        raise Asking(say(WHICH_PAGE))
    return calls.plan(calls.read_source("bot_web_read_page", "url", {"handle": shown[-1].handle}, question))


BUILDERS: dict[str, Builder] = {
    "note.create": keep, "note.search": notes, "memory.ask": ask, "memory.forget": forget, "memory.list": sources,
    "file.list": files, "file.search": find, "file.read": read, "web.read": page,
}  # fmt: skip
