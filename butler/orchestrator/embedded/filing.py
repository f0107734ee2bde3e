"""Folders of this machine and the person's Drive: `list the files in reports`, `search my Drive for the lease`."""

from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import READABLE, find, item_at
from butler.orchestrator.embedded.lexer import Tail, phrases, word_set
from butler.orchestrator.embedded.say import one_line
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.embedded.things import FILES, Thing, folder_at, reading, shown
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput

LIST, SEARCH, READ = "bot_files_list", "user_drive_search", "user_drive_read"
SHOW = phrases("(list|show|see|open|browse) [me]", "(which|what)", "ls", "dir", "(what is|what's|whats)")
FILES_NOUN = phrases("[all] [the|my|your] (files|documents|folders)")
HAVE = phrases(
    "(do you have|are there|have you got|can you see|can you read|do i have)", "(is|are) there", "(are|is)", "lie"
)
IN = phrases("(in|inside|from|under|of)")
FOLDER = phrases("[the|my|your] (folder|directory) [called|named]", "[the|my|your] (folders|folder|directory)")
FOLDER_AFTER = phrases("(folder|directory)")
READ_ALL = phrases(
    "(read|go through|index|learn) [through] [the|my] (whole|entire|complete) (folder|directory)",
    "(read|go through|index|learn) (everything|all files|all the files|all|every file) (in|inside|from) [the|my]"
    " [folder|directory]",
)
DRIVE = phrases("[my|the|our] [google] drive")
LOOK = phrases("(search|look|check|go|browse) [through|in|into|on|inside]")
FOR = phrases("for", "whether there is", "about")
OPEN = phrases("(read|open) [me] [the file|the document]")
WHAT_DOES, SAYS = phrases("what does"), phrases("(say|says|mention|contain|state)")
FIND = phrases(
    "(find|search|get|show|fetch|see|open) [me] [for]", "(look|search) for",
    "(is there|are there|do i have|have i got) [any|a|an]", "where (is|are)", "pull up",
)  # fmt: skip
ON = phrases("(in|on|from|inside|within)")
ABOUT = phrases(
    "[anything|something|files|file|documents|document|docs|spreadsheet|spreadsheets|presentation]"
    " (about|on|called|named|with|for|regarding|mentioning|containing)"
)
DRIVE_NOUN = phrases("(files|documents|docs|folders|file|document)")
MENTION = phrases("(mention|mentions|contain|contains|talk about|are about|speak of|is about|have|say)")
ARTICLES = word_set("the a an my our any some")


def files(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request to see what lies in a folder, or to read all of it; None where it is none."""
    bare = tail.bare()
    if (
        (whole := bare.take(READ_ALL)) is not None
        and (folder := folder_at(whole))
        and folder[1].past(FOLDER_AFTER).done
    ):
        return reading(Thing(FILES, "path", folder[0]), scene, recursive=True)
    start = bare.take(SHOW)
    if start is None or bare.find(DRIVE):
        return None
    noun = start.take(FILES_NOUN)
    rest = (noun or start).past(HAVE)
    inside = rest.take(IN)
    if rest.done and (noun or bare.word() in {"ls", "dir"}):
        return _list("", scene)
    place = inside or (rest if noun is None else None)
    named = place.take(FOLDER) if place else None
    if named is not None and named.done and noun:
        return _list("", scene)
    folder = folder_at(named or place) if place and (named or (inside and noun) or bare.word() == "ls") else None
    folder = folder or (_named_before(inside) if inside else None)
    return _list(folder[0], scene) if folder and folder[1].past(FOLDER_AFTER).done else None


def _named_before(tail: Tail) -> tuple[str, Tail] | None:
    """`the reports folder`."""
    folder = folder_at(tail.past(phrases("(the|my)")))
    return folder if folder and folder[1].take(FOLDER_AFTER) else None


def _list(folder: str, scene: Scene) -> Planned:
    if not scene.has(LIST):
        raise Asking(not_set_up(LIST))
    return calls.plan(calls.list_files(folder))


def drive(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read a request that names the person's Drive; None where it is none."""
    bare = tail.bare()
    look = bare.take(LOOK)
    after = look.take(DRIVE) if look else None
    words = after.take(FOR) if after else None
    if words is None and (named := bare.take(DRIVE)) and named.word() == ":":
        words = named.skip()
    if words is None and (shown_files := (bare.past(phrases("(show|list|find) [me]")).take(DRIVE))) is not None:
        noun = shown_files.take(DRIVE_NOUN)
        words = noun.take(ABOUT) if noun else None
    words = words or _before_drive(bare, scene)
    if isinstance(words, Planned):
        return words
    return _search(words, scene) if words is not None and not words.done else None


def _before_drive(bare: Tail, scene: Scene) -> Tail | Planned | None:
    """`find the budget in Google Drive`, `which files on Drive mention the boat?`, `the first one from my drive`."""
    split = bare.find(DRIVE)
    if split is None or split[0].done:
        return None
    before, after = split
    last = before.tokens[before.end - 1].word
    if last not in {"in", "on", "from", "inside", "within"}:
        return None
    words = Tail(before.source, before.tokens, before.at, before.end - 1)
    if after.done and (item := item_at(words.past(phrases("(read|open|show) [me]")), scene)) and item[1].done:
        referent = find(item[0], scene, lambda name: f"read {name}", READABLE)
        thing = shown(referent) if referent else None
        return reading(thing, scene) if thing else None
    if (called := _called(words, after, bare, scene)) is not None:
        return called
    if (mention := after.take(MENTION)) is not None and words.word() in {"which", "what", "do", "does", "any"}:
        return mention
    start = words.take(FIND)
    return start.past(ABOUT) if start is not None and after.done else None


def _called(words: Tail, after: Tail, whole: Tail, scene: Scene) -> Planned | None:
    """`read the lease in my Drive`, `what does the lease in my Drive say about pets?`."""
    told = words.take(WHAT_DOES)
    if told is not None and not told.done and after.take(SAYS) is not None:
        return _read_called(told, scene, whole.text)
    named = words.take(OPEN)
    return _read_called(named, scene) if named is not None and not named.done and after.done else None


def _read_called(words: Tail, scene: Scene, question: str = "") -> Planned:
    """A file by its name: found, and read where it is the only one; of several the owner chooses."""
    found = _search(words, scene)
    if not scene.has(READ):
        raise Asking(not_set_up(READ))
    return calls.read_found_file(found, question)


def _search(words: Tail, scene: Scene) -> Planned:
    here = words
    while here.word() in ARTICLES and not here.skip().done:
        here = here.skip()
    here = here.past(phrases("(file|document|doc|files|documents) (called|named|about|on)"))
    if not scene.has(SEARCH):
        raise Asking(not_set_up(SEARCH))
    return calls.plan(calls.search_drive(one_line(here.text.strip('"“”„«» '))))
