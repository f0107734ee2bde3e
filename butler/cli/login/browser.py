"""The browser's part of a sign-in: shows the authority's page, and returns the address of its redirect.

With a browser on this machine, a small server on loopback receives the redirect, for as long as the sign-in takes.
Otherwise the user opens the page elsewhere and pastes the address of the redirect.
"""

import os
import sys
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from butler.cli.dialogue import Dialogue
from butler.contract.errors import Refuse

PATIENCE_S = 300.0
LOOK_S = 0.5
NOWHERE = 1
"""A port without a server: the browser shows an error page, and only its address matters."""
DONE = "<!doctype html><meta charset=utf-8><title>Butler</title><p>Done. You can close this page; the terminal goes on."
NOT_THIS = "<!doctype html><meta charset=utf-8><title>Butler</title><p>This is not the answer that is waited for."
OPEN_IT = """
Open this page in a browser, on any device, and allow it:

  {page}

In the end the browser shows an error, since nothing listens at {redirect}: that is as it should be. Copy the whole
address out of its address bar.
"""


def has_browser() -> bool:
    """Return whether a browser window can be opened here, for the user at this machine."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return False
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Pasted:
    """The user opens the page, and pastes the address of the redirect."""

    dialogue: Dialogue
    host: str = "127.0.0.1"

    @property
    def redirect_uri(self) -> str:
        """Return the redirect address."""
        return f"http://{self.host}:{NOWHERE}/"

    def visit(self, page: str) -> None:
        """Show the page's address."""
        self.dialogue.say(OPEN_IT.format(page=page, redirect=self.redirect_uri))

    def answer(self) -> str:
        """Return the address that the user pastes."""
        return self.dialogue.text("The address (or only the code in it)", None)

    def close(self) -> None:
        """Nothing to close."""


class Listening:
    """A browser on this machine opens the page, and is redirected to a local port."""

    def __init__(self, dialogue: Dialogue, host: str = "127.0.0.1") -> None:
        self._dialogue, self._host = dialogue, host
        self._state, self._found = "", ""
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())
        self._server.timeout = LOOK_S

    @property
    def redirect_uri(self) -> str:
        """Return the redirect address."""
        return f"http://{self._host}:{self._server.server_port}/"

    def visit(self, page: str) -> None:
        """Open the page in the browser."""
        self._state = parse_qs(urlsplit(page).query)["state"][0]
        self._dialogue.say(f"\nYour browser opens this page; allow it there:\n\n  {page}\n")
        if not webbrowser.open(page):
            self._dialogue.say("It did not open: open it yourself on this machine, or try again with --no-browser.")

    def answer(self) -> str:
        """Wait for the browser; raise `Refuse` if it does not return for a while."""
        started = time.monotonic()
        while not self._found:
            if time.monotonic() - started > PATIENCE_S:
                raise Refuse("the browser did not come back; try again, or with --no-browser")
            self._server.handle_request()
        return self._found

    def close(self) -> None:
        """Free the port."""
        self._server.server_close()

    def _take(self, path: str) -> bool:
        """Return whether a request is the answer to this sign-in: other programs can use this port too."""
        if parse_qs(urlsplit(path).query).get("state") != [self._state]:
            return False
        self._found = f"http://{self._host}:{self._server.server_port}{path}"
        return True

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take: Callable[[str], bool] = self._take

        class Handler(BaseHTTPRequestHandler):
            timeout = 5

            def do_GET(self) -> None:
                taken = take(self.path)
                body = (DONE if taken else NOT_THIS).encode()
                self.send_response(200 if taken else 400)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
                """Log nothing: the path holds the code."""

        return Handler


def way(dialogue: Dialogue, *, no_browser: bool, host: str = "127.0.0.1") -> Pasted | Listening:
    """Return the way that works on this machine."""
    return Pasted(dialogue, host) if no_browser or not has_browser() else Listening(dialogue, host)
