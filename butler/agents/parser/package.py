"""The ZIP package of Word, PowerPoint and Excel files: its limits are checked before anything is unpacked.

Its XML may not declare a document type: no Office program writes one, and every XML attack (external and growing
entities) needs one. External targets are never opened.
"""

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn
from xml.etree.ElementTree import Element, ParseError, fromstring
from xml.parsers import expat

from butler.agents.parser.blocks import UnreadableError, damaged
from butler.contract.speech import phrase, say

_MOST_FILES = 10_000
_LARGEST = 150 * 1024 * 1024
"""Bytes of all files unpacked."""
_LARGEST_XML = 60 * 1024 * 1024
"""Bytes of one XML file: its tree takes several times as much."""
_MOST_RATIO, _RATIO_FROM = 150, 8 * 1024 * 1024
"""The highest compression ratio, for files from this size on; Office files reach about 50."""
_HEAD = 65_536
"""Bytes within which an XML file's first element must begin."""
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def hostile(what: str) -> UnreadableError:
    """Build the error for a file that only an attacker writes; `what` was marked by `phrase`."""
    sentence = say("The file is not read: {what}, as no Office program writes it.", what=say(what))
    return UnreadableError(sentence, "hostile")


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a part of a package."""

    kind: str
    """The last word of its type, such as `image`, `slide`, `notesSlide`."""
    target: str
    """The name of another part, or an address."""
    external: bool


class Package:
    """Reads parts by name. Raises `UnreadableError`."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._infos = {info.filename: info for info in self._zip.infolist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise damaged(phrase("it is not the package that its name says")) from error
        self._check()

    @property
    def names(self) -> list[str]:
        return list(self._infos)

    @cached_property
    def main_part(self) -> str:
        """Return the main part of the package; empty if it names none that exists."""
        target = next((one.target for one in self.relations("").values() if one.kind == "officeDocument"), "")
        return target if target in self._infos else ""

    def _check(self) -> None:
        infos = self._infos.values()
        total = sum(info.file_size for info in infos)
        if len(self._zip.infolist()) > _MOST_FILES or total > _LARGEST:
            raise UnreadableError(say("The file is not read: unpacked, it would be far too large."), "too_large")
        for info in infos:
            packed = max(info.compress_size, 1)
            if info.file_size > _RATIO_FROM and info.file_size / packed > _MOST_RATIO:
                raise hostile(phrase("it unpacks to many times its size"))
            if info.flag_bits & 1:
                raise UnreadableError(
                    say("The file is packed with a password in a way that is not read."), "unsupported"
                )

    def bytes_of(self, name: str) -> bytes:
        """Return a part; empty if it does not exist."""
        info = self._infos.get(name)
        if info is None:
            return b""
        try:
            with self._zip.open(info) as file:
                # The declared size is not trusted: a packed file can say anything.
                data = file.read(info.file_size + 1)
        except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, OSError, zlib.error) as error:
            raise damaged(phrase("a part of it cannot be unpacked")) from error
        if len(data) > info.file_size:
            raise hostile(phrase("a part of it is larger than it says"))
        return data

    def xml(self, name: str) -> Element | None:
        """Return a part as XML; None if it does not exist."""
        data = self.bytes_of(name)
        return safe_xml(data) if data else None

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of a part (`""` is the package itself), by id."""
        folder, name = posixpath.split(part)
        tree = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for element in tree.iter(_RELATION) if tree is not None else ():
            target, external = element.get("Target", ""), element.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = element.get("Type", "").rpartition("/")[2]
            found[element.get("Id", "")] = Relation(kind, target, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Return the parts of one kind that a part relates to."""
        return [one.target for one in self.relations(part).values() if one.kind == kind and not one.external]

    def refuse_hostile_xml(self) -> None:
        """Check the head of every XML part; for a library that opens them itself."""
        for name, info in self._infos.items():
            if name.endswith((".xml", ".rels", ".vml")):
                if info.file_size > _LARGEST_XML:
                    raise UnreadableError(say("The file is not read: a part of it is far too large."), "too_large")
                _refuse_doctype(self.bytes_of(name))


def safe_xml(data: bytes) -> Element:
    """Parse XML that declares no document type. Raises `UnreadableError`."""
    if len(data) > _LARGEST_XML:
        raise UnreadableError(say("The file is not read: a part of it is far too large."), "too_large")
    _refuse_doctype(data)
    try:
        return fromstring(data)  # noqa: S314 - without a document type there are no entities
    except (ParseError, ValueError, LookupError, RecursionError) as error:
        raise damaged(phrase("a part of it cannot be understood")) from error


class _EnoughError(Exception):
    """The first element was reached: no more declarations can follow."""


def _refuse_doctype(data: bytes) -> None:
    def refuse(*_: object) -> NoReturn:
        raise hostile(phrase("it declares entities"))

    def enough(*_: object) -> NoReturn:
        raise _EnoughError

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = enough
    try:
        parser.Parse(data[:_HEAD], False)
    except _EnoughError:
        return
    except expat.ExpatError as error:
        raise damaged(phrase("a part of it cannot be understood")) from error
    if len(data) > _HEAD:
        raise hostile(phrase("a part of it begins with nothing"))
