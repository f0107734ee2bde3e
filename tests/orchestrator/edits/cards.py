"""Cards that the replies of these tests are about, and the people around them."""
# names: made up here

from dataclasses import replace

from butler.contract.tools import Attachment, Recipient
from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.edits.grammar import EditContext
from butler.orchestrator.edits.reading import Edit, Reading, Unsure, Word, read
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Unclear
from tests.orchestrator.embedded.scene import request

ANNA = Recipient(address="telegram:5001", name="Anna Berg")
ANNA_MAIL = Recipient(address="mail:anna@friends.example", name="Anna Berg")
CAROL_MAIL = Recipient(address="mail:carol@work.example", name="Carol")
REPORT = Attachment(name="report.pdf", size=2_000, sha256="a" * 64, media_type="application/pdf")
MENU = Attachment(name="menu.pdf", size=3_000, sha256="b" * 64, media_type="application/pdf")

LATE = CardContent("I'll be ten minutes late", None, (ANNA,), ())
DINNER = CardContent(
    "Dear Anna, dinner is on Friday at eight. Bring two bottles of wine.",
    "Dinner on Friday",
    (ANNA_MAIL, CAROL_MAIL),
    (REPORT, MENU),
)
RENT = CardContent("The rent of €900 is due on 3 March. Call me on +44 20 7946 0958.", "Rent", (ANNA_MAIL,), (REPORT,))
TWICE = CardContent("Ten minutes there, two hours back. Ten minutes there again.", None, (ANNA,), ())
ARCHIVE = CardContent(None, None, (), ())


def says(reply: str, sheet: CardContent) -> Reading:
    """What a reply to a card means."""
    channel = "telegram" if sheet.subject is None else "email"
    return read(reply, EditContext(sheet, People(scene_of(request(reply)), channel, reply)))


def outcome(reply: str, sheet: CardContent) -> str:
    """The same in short: what has changed, or what is said."""
    match says(reply, sheet):
        case Edit(sheet=new):
            return changed(sheet, new)
        case Word() as word:
            return f"<{word.value}>"
        case Unclear(question=question, choices=choices):
            return f"? {question}" + "".join(f" [{choice.words}]" for choice in choices)
        case Unsure(sentence=sentence):
            return f"?? {sentence}"


def changed(old: CardContent, new: CardContent) -> str:
    """What differs, in a line."""
    parts: list[str] = []
    if new.text != old.text:
        parts.append(str(new.text))
    if new.subject != old.subject:
        parts.append(f"Subject: {new.subject}")
    if new.recipients != old.recipients:
        parts.append(f"To: {', '.join(one.address for one in new.recipients)}")
    if new.attachments != old.attachments:
        parts.append(f"Files: {', '.join(file.name for file in new.attachments) or 'none'}")
    return " | ".join(parts) or "nothing"


def with_text(text: str) -> CardContent:
    return replace(LATE, text=text)
