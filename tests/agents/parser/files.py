"""Files for the parser, written by the libraries that write them for people, or part by part where those do not."""

import io
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP package."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return target.getvalue()


def relations(*entries: tuple[str, str, str]) -> str:
    """A part that relates: id, kind and target of each; a target with a scheme is outside."""
    lines = [
        f'<Relationship Id="{key}" Type="{_R}/{kind}" Target="{target}"'
        + (' TargetMode="External"' if ":" in target else "")
        + "/>"
        for key, kind, target in entries
    ]
    head = '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    return head + "".join(lines) + "</Relationships>"


def docx(body: str, *, parts: Mapping[str, str] | None = None, related: Sequence[tuple[str, str, str]] = ()) -> bytes:
    """A Word file with this body."""
    return packed(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
            "word/_rels/document.xml.rels": relations(*related),
            "word/document.xml": f'<?xml version="1.0"?><w:document {W}><w:body>{body}</w:body></w:document>',
            **(parts or {}),
        }
    )


def paragraph(*runs: str, style: str = "") -> str:
    """A paragraph of runs; plain words become a run."""
    about = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{about}{''.join(one if one.startswith('<') else run(one) for one in runs)}</w:p>"


def run(text: str, properties: str = "") -> str:
    """Letters of one look."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def inserted(text: str) -> str:
    return f'<w:ins w:author="Anna">{run(text)}</w:ins>'


def deleted(text: str) -> str:
    return f'<w:del w:author="Anna"><w:r><w:delText xml:space="preserve">{text}</w:delText></w:r></w:del>'


def pdf(*pages: str) -> bytes:
    """A PDF file with the drawing instructions of each page; F1 is Helvetica."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, drawing in enumerate(pages):
        look = f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {look} >>")
        objects.append(f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream")
    return pdf_of(objects)


def stream(data: bytes, about: str = "") -> bytes:
    """An object of a PDF file with packed content."""
    packed = zlib.compress(data, 9)
    return f"<< /Length {len(packed)} /Filter /FlateDecode {about} >>\nstream\n".encode() + packed + b"\nendstream"


def pdf_of(objects: Sequence[str | bytes]) -> bytes:
    """A PDF file of these objects, the first of which is its catalogue."""
    parts, places, at = [b"%PDF-1.4\n"], [], 9
    for number, text in enumerate(objects, 1):
        places.append(at)
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, text if isinstance(text, bytes) else text.encode()))
        at += len(parts[-1])
    data = b"".join(parts)
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"xref\n0 {count}\n0000000000 65535 f \n{rows}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode()


def line(text: str, y: int, *, x: int = 60, size: int = 11, before: str = "") -> str:
    """Drawing instructions for a line of text."""
    return f"BT {before} /F1 {size} Tf {x} {y} Td ({text}) Tj ET"


def turned(text: str, x: int, y: int, degrees: float, *, size: int = 11, before: str = "") -> str:
    """Drawing instructions for a line of text that rises by so many degrees, from where its first letter stands."""
    up, right = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    return f"BT {before} /F1 {size} Tf {right:.5f} {up:.5f} {-up:.5f} {right:.5f} {x} {y} Tm ({text}) Tj ET"


def locked(data: bytes, password: str) -> bytes:
    """A PDF file that needs the password."""
    writer = PdfWriter(PdfReader(io.BytesIO(data)))
    writer.encrypt(password, algorithm="AES-256")
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def picture(text: str, *, turned: int = 0) -> bytes:
    """A PNG of a line of text."""
    image = Image.new("RGB", (560, 120), "white")
    ImageDraw.Draw(image).text((30, 30), text, fill="black", font=ImageFont.load_default(40))
    target = io.BytesIO()
    image.rotate(turned, expand=True).save(target, "PNG")
    return target.getvalue()
