"""The batch address: up to a hundred calls in one multipart/mixed request, each with an answer of its own."""

import re
from email.message import Message
from email.parser import HeaderParser
from http import HTTPStatus
from secrets import token_urlsafe
from urllib.parse import parse_qs, urlsplit

from multidict import CIMultiDict

from butler_demo.google.errors import bad_request
from butler_demo.google.wire import ApiReply, ApiRequest

BATCH_MAXIMUM = 100
_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_REQUEST_LINE = re.compile(r"([A-Z]+) (\S+)(?: HTTP/1\.[01])?")


class BatchPart:
    """One call of a batch: its request, and the Content-ID by which the client finds the answer."""

    def __init__(self, outer: ApiRequest, text: str) -> None:
        """Read a part; what it lacks in authorization it has from the outer request. Raises GoogleError 400."""
        head, inner = _halves(text)
        envelope = HeaderParser().parsestr(head)
        if envelope.get_content_type() != "application/http":
            raise bad_request("Each part of a batch has to be of the type application/http")
        self.content_id = envelope.get("Content-ID", "").strip("<> ")
        line_and_headers, body = _halves(inner)
        line, _, headers = line_and_headers.partition("\n")
        found = _REQUEST_LINE.fullmatch(line.strip())
        if not found:
            raise bad_request(f"Failed to parse the request line of a batch part: {line.strip()[:80]}")
        address = urlsplit(found[2])
        fields: CIMultiDict[str] = CIMultiDict(HeaderParser().parsestr(headers).items())
        if "Authorization" not in fields and "Authorization" in outer.headers:
            fields["Authorization"] = outer.headers["Authorization"]
        self.request = ApiRequest(
            method=found[1],
            path=address.path,
            query=parse_qs(address.query, keep_blank_values=True),
            headers=fields,
            body=body.encode(),
            root=outer.root,
        )


def read_batch(request: ApiRequest) -> list[BatchPart]:
    """Take a batch apart, in its order. Raises GoogleError 400."""
    header: Message[str, str] = Message()
    header["Content-Type"] = request.headers.get("Content-Type", "")
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/mixed" or not boundary:
        raise bad_request("A batch request has to be multipart/mixed with a boundary")
    line = rb"(?:^|\r?\n)--" + re.escape(boundary.encode()) + rb"(?:--)?[ \t]*(?:\r?\n|$)"
    texts = [part.decode("utf-8", "replace") for part in re.split(line, request.body)[1:-1]]
    if not texts:
        raise bad_request("The batch request contains no parts")
    if len(texts) > BATCH_MAXIMUM:
        raise bad_request(f"The batch request contains {len(texts)} calls; at most {BATCH_MAXIMUM} are allowed")
    return [BatchPart(request, text) for text in texts]


def write_batch(parts: list[BatchPart], replies: list[ApiReply]) -> ApiReply:
    """Put the answers together, in the order of the calls."""
    boundary = f"batch_{token_urlsafe(12)}"
    pieces: list[bytes] = []
    for part, reply in zip(parts, replies, strict=True):
        named = f"Content-ID: <response-{part.content_id}>\r\n" if part.content_id else ""
        phrase = HTTPStatus(reply.status).phrase
        headers = dict(reply.headers) | ({"Content-Type": reply.content_type} if reply.content_type else {})
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"--{boundary}\r\nContent-Type: application/http\r\n{named}\r\n"
            f"HTTP/1.1 {reply.status} {phrase}\r\n{lines}Content-Length: {len(reply.body)}\r\n\r\n"
        )
        pieces += [head.encode(), reply.body, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    return ApiReply(body=b"".join(pieces), content_type=f"multipart/mixed; boundary={boundary}")


def _halves(text: str) -> tuple[str, str]:
    pieces = _BLANK_LINE.split(text, maxsplit=1)
    return pieces[0], pieces[1] if len(pieces) > 1 else ""
