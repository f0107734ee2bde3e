"""Which kind of file something is: for whoever asks, by its name."""

from pathlib import PurePath

from butler.contract.agents import FileType

_BY_SUFFIX: dict[str, FileType] = {
    "pdf": "pdf",
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "docx": "docx",
    "docm": "docx",
    "dotx": "docx",
    "pptx": "pptx",
    "pptm": "pptx",
    "ppsx": "pptx",
    "potx": "pptx",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
    "xltx": "xlsx",
    "csv": "csv",
    "tsv": "csv",
    "md": "md",
    "markdown": "md",
    "eml": "eml",
    "ics": "ics",
    "ical": "ics",
    "png": "image",
    "jpg": "image",
    "jpeg": "image",
    "gif": "image",
    "webp": "image",
    "bmp": "image",
    "tif": "image",
    "tiff": "image",
}
_BY_MEDIA_TYPE: dict[str, FileType] = {
    "application/pdf": "pdf",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/markdown": "md",
    "message/rfc822": "eml",
    "text/calendar": "ics",
}


def file_type_of(name: str, media_type: str = "") -> FileType:
    """What a file is to be read as, by its name or else by what its source calls it.

    `txt` where neither tells; the parser looks at the content, so that a wrong guess only costs the better sentence.
    """
    suffix = PurePath(name).suffix.removeprefix(".").lower()
    kind = media_type.partition(";")[0].strip().lower()
    if found := _BY_SUFFIX.get(suffix) or _BY_MEDIA_TYPE.get(kind):
        return found
    return "image" if kind.startswith("image/") and kind != "image/svg+xml" else "txt"
