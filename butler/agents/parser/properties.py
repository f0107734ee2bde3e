"""Title and author of an Office file."""

from butler.agents.parser.blocks import Document, UnreadableError
from butler.agents.parser.package import Package
from butler.contract.speech import say

_NAMES = {
    "{http://purl.org/dc/elements/1.1/}title": "title",
    "{http://purl.org/dc/elements/1.1/}creator": "author",
    "{http://purl.org/dc/terms/}modified": "modified",
}
_LONGEST = 500


def describe(package: Package, document: Document) -> None:
    """Add the file's own metadata, and name its attachments."""
    try:
        tree = package.xml("docProps/core.xml")
    except UnreadableError:
        tree = None
    for element in tree if tree is not None else ():
        name = _NAMES.get(element.tag)
        if name and element.text and element.text.strip():
            document.metadata[name] = element.text.strip()[:_LONGEST]
    document.files(*(name.rpartition("/")[2] for name in package.names if "/embeddings/" in name))
    if any(name.endswith("vbaProject.bin") for name in package.names):
        document.problem(say("It holds macros (small programs), which were neither read nor run."))
