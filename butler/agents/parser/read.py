"""Reads one file into the fields of a `ParserOutput`, or returns the reason why not; the content decides its type."""

import hashlib
import time
import zipfile
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from butler.agents.parser.blocks import Document, EncryptedError, UnreadableError, damaged, unsupported
from butler.agents.parser.bounds import TimeUpError, stop_clock
from butler.agents.parser.chunks import chunks_of
from butler.agents.parser.content import content_type_of, why_not
from butler.agents.parser.ocr import Ocr
from butler.agents.parser.request import Request, too_long
from butler.contract.speech import phrase, say, say_many, say_number

TOO_MUCH_MEMORY = phrase("The file takes more memory to read than `[documents] memory_mb` allows.")
_OCR_SHARE = 0.7
"""The share of a file's time for OCR: the rest is for returning the text."""
_NAMED = 8
_TEXTS = frozenset({"txt", "csv", "md", "eml", "html", "ics"})
_OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_OLD = {
    "WordDocument": phrase("It is an old Word file (before 2007), which is not read; save it as .docx."),
    "PowerPoint Document": phrase("It is an old PowerPoint file (before 2007), which is not read; save it as .pptx."),
    "Workbook": phrase("It is an old Excel file (before 2007), which is not read; save it as .xlsx."),
    "__properties_version1.0": phrase(
        "Outlook messages (.msg) are not read; save it as .eml, or forward the mail itself."
    ),
}


@dataclass(frozen=True, slots=True)
class _Job:
    request: Request
    data: bytes
    document: Document
    ocr: Ocr


def read(request: Request, data: bytes) -> dict[str, Any]:
    """Return `{"output": ...}`, or `{"failure": {code, message, why}}`. Raise `MemoryError` only."""
    began = time.monotonic()
    document = Document()
    try:
        deadline = time.process_time() + request.seconds * _OCR_SHARE
        job = _Job(request, data, document, Ocr(enabled=request.ocr, deadline=deadline))
        failure = _attempt(job)
    except (MemoryError, TimeUpError) as error:
        stop_clock()
        failure = _given_up(error, document, request.seconds)
    if failure:
        return failure
    stop_clock()
    if files := document.metadata.get("embedded_files"):
        number = say_number(len(files))
        document.problem(
            say_many(
                len(files), "Not read: {number} file within it.", "Not read: {number} files within it.", number=number
            )
        )
    digest = hashlib.sha256(data).hexdigest()
    chunks = chunks_of(document, digest)
    output = {
        "document_id": digest,
        "metadata": {key: value for key, value in document.metadata.items() if value not in ("", [])},
        "chunks": chunks,
        "total_pages": document.pages,
        "processing_time_ms": round((time.monotonic() - began) * 1000, 1),
        "problems": document.problems,
    }
    return {"output": output}


def _attempt(job: _Job) -> dict[str, Any] | None:
    """Read a file into the document, or return a failure. Raise `MemoryError` and `TimeUpError`."""
    if not job.data:
        return _failure("ERR_PARSER_UNSUPPORTED", say("The file is empty."), "damaged")
    try:
        job.document.metadata["file_type"] = job.request.file_type
        job.document.metadata["file_type"] = _read(job)
    except EncryptedError as error:
        return _failure("ERR_PARSER_ENCRYPTED", error.sentence, error.why)
    except UnreadableError as error:
        return _failure("ERR_PARSER_UNSUPPORTED", error.sentence, error.why)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary to hostile formats; the kind is recorded
        sentence = say("The file is damaged, or built in a way that is not understood.")
        return _failure("ERR_PARSER_UNSUPPORTED", sentence, f"damaged ({type(error).__name__})")
    return None


def _given_up(error: MemoryError | TimeUpError, document: Document, seconds: float) -> dict[str, Any] | None:
    """Add a problem to a document that was read in part, or return a failure if nothing was read."""
    is_late = isinstance(error, TimeUpError)
    if not document.blocks:
        code = "ERR_TIMEOUT" if is_late else "ERR_PARSER_UNSUPPORTED"
        return _failure(
            code, too_long(seconds) if is_late else say(TOO_MUCH_MEMORY), "timeout" if is_late else "too_large"
        )
    document.problem(
        say(
            "Only what was read within {seconds} seconds ([documents] timeout_s) is there; "
            "the rest of it was not read.",
            seconds=f"{seconds:g}",
        )
        if is_late
        else say("Only what was read within [documents] memory_mb is there; the rest of it was not read.")
    )
    return None


def _failure(code: str, message: str, why: str) -> dict[str, Any]:
    return {"failure": {"code": code, "message": message, "why": why}}


def _read(job: _Job) -> str:
    """Read a file by its content; return the type that it was read as."""
    kind = content_type_of(job.data)
    text = job.request.file_type
    if kind == "zip":
        return _read_package(job, job.data)
    if kind == "ole":
        return _read_container(job)
    if kind == "svg":
        raise unsupported(say("Drawings (.svg) are not read; send it as a picture or a PDF file."))
    if kind == "rtf":
        raise unsupported(why_not(job.data))
    if kind == "pdf":
        from butler.agents.parser.read_pdf import read_pdf  # noqa: PLC0415 - each type loads its own libraries

        password = job.request.password
        read_pdf(job.data, job.document, job.ocr, password=password, force_ocr=job.request.force_ocr)
    elif kind == "image":
        from butler.agents.parser.read_image import read_image  # noqa: PLC0415

        read_image(job.data, job.document, job.ocr)
    else:
        return _read_text(job, text if text in _TEXTS - {"txt"} else kind or text)
    return kind


def _read_text(job: _Job, kind: str) -> str:
    if kind not in _TEXTS:
        raise (
            UnreadableError(why_not(job.data), "unsupported")
            if why_not(job.data)
            else damaged(phrase("it is not what its name says"))
        )
    if kind == "html":
        from butler.agents.parser.read_html import read_html  # noqa: PLC0415

        read_html(job.data, job.document)
    elif kind == "eml":
        from butler.agents.parser.read_mail import read_eml  # noqa: PLC0415

        read_eml(job.data, job.document)
    elif kind == "ics":
        from butler.agents.parser.read_calendar import read_ics  # noqa: PLC0415

        read_ics(job.data, job.document)
    else:
        from butler.agents.parser import read_text  # noqa: PLC0415

        {"csv": read_text.read_csv, "md": read_text.read_md, "txt": read_text.read_txt}[kind](job.data, job.document)
    if not job.document.blocks:
        job.document.problem(say("There is no text in it."))
    return kind


def _read_package(job: _Job, data: bytes) -> str:
    """Read an Office file, or name the files of any other archive."""
    from butler.agents.parser.package import Package  # noqa: PLC0415

    package = Package(data)
    kind = next((kind for folder, kind in _OFFICE.items() if package.main_part.startswith(folder)), "")
    if not kind and (not any(name == "[Content_Types].xml" for name in package.names)):
        raise unsupported(_archive(package.names, data))
    kind = kind or (job.request.file_type if job.request.file_type in _OFFICE.values() else "docx")
    if kind == "docx":
        from butler.agents.parser.read_docx import read_docx  # noqa: PLC0415

        read_docx(package, job.document)
    elif kind == "pptx":
        from butler.agents.parser.read_pptx import read_pptx  # noqa: PLC0415

        read_pptx(package, job.document)
    else:
        from butler.agents.parser.read_xlsx import read_xlsx  # noqa: PLC0415

        read_xlsx(data, package, job.document)
    if not job.document.blocks:
        job.document.problem(say("There is no text in it."))
    return kind


def _archive(names: list[str], data: bytes) -> str:
    if "mimetype" in names and b"opendocument" in data[:200]:
        return say("OpenDocument files are not read; save it as .docx, .xlsx, .pptx or PDF.")
    if "META-INF/container.xml" in names:
        return say("Electronic books (.epub) are not read; send it as a PDF file.")
    # Untrusted words in a sentence of ours: on one line, without control characters.
    plain = ("".join(char if char.isprintable() else " " for char in name[-80:]) for name in names[:_NAMED])
    shown = ", ".join(say("“{name}”", name=" ".join(name.split())) for name in plain)
    if not shown:
        return say("It is a ZIP archive with nothing in it; unpack it and send what is to be read.")
    if len(names) > _NAMED:
        return say_many(
            len(names) - _NAMED,
            "It is a ZIP archive with {names} and {count} more in it; unpack it and send what is to be read.",
            "It is a ZIP archive with {names} and {count} more in it; unpack it and send what is to be read.",
            names=shown,
        )
    return say("It is a ZIP archive with {names} in it; unpack it and send what is to be read.", names=shown)


def _read_container(job: _Job) -> str:
    from butler.agents.parser.office_password import is_protected, opened  # noqa: PLC0415
    from butler.agents.parser.ole import Container  # noqa: PLC0415

    container = Container(job.data)
    if is_protected(container):
        package = opened(container, job.request.password)
        if not zipfile.is_zipfile(BytesIO(package)):
            raise damaged(phrase("what its password protects is no Office file"))
        return _read_package(job, package)
    names = [name for name in _OLD if any(one.startswith(name) for one in container.names)]
    raise unsupported(
        say(_OLD[names[0]]) if names else say("It is of an old kind that is not read; save it as a PDF file.")
    )
