# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false
# ruff: noqa: T201 - a command prints
# Google's client builds its methods at run time.
"""Ask another emulator of Google's APIs the same questions as our stand-ins, and print where the answers differ.

By hand, with node and npm: `python -m scripts.second_opinion`. It installs `emulate@0.11.2` into a folder of its own
that goes away afterwards, and starts it on loopback. Who is right where they differ stands in
docs/explanation/the-google-stand-in.md.
"""

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httplib2
from google.auth.exceptions import RefreshError
from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc
from googleapiclient.errors import HttpError

from butler_demo.calendar.server import CalendarServer
from butler_demo.drive.server import DriveServer
from butler_demo.gmail.server import GmailServer
from scripts import google_questions_gmail, google_questions_others
from scripts.google_questions import ME, QUESTIONS, Question, Side

EVERYTHING = ("https://mail.google.com/",)
_ASKED = (google_questions_gmail, google_questions_others)  # importing them puts their questions on the list
_START = """
import net from "node:net"
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (port) { return listen.call(this, port, "127.0.0.1") }
const { createEmulator } = await import("emulate")
await createEmulator({ service: "google", port: Number(process.argv[2]), seed: JSON.parse(process.argv[3]) })
"""


def answer(side: Side, question: Question) -> str:
    """Return a side's answer in words."""
    try:
        return repr(question(side))
    except HttpError as error:
        return f"HTTP {error.status_code}"
    except RefreshError:
        return "HTTP 401"  # the client wants another token then, and has none
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        return f"an answer that lacks {error!r}"


def service(api: str, version: str, root: str, token: str) -> Any:
    """Return Google's client of an API at another address."""
    document = json.loads(get_static_doc(api, version) or "")
    document |= {"rootUrl": root, "baseUrl": root + document["servicePath"]}
    document.pop("mtlsRootUrl", None)
    http = AuthorizedHttp(Credentials(token), http=httplib2.Http())
    return build_from_document(json.dumps(document), http=http)


def _side(clients: list[Any], gmail_root: str) -> Side:
    gmail, calendar, drive = clients
    return Side(gmail.users(), calendar, drive, service("gmail", "v1", gmail_root, "nobody").users())


@contextmanager
def ours() -> Generator[Side]:
    """Run our stand-ins in a thread of their own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    gmail = GmailServer()
    servers = [gmail, CalendarServer(authority=gmail.authority), DriveServer(authority=gmail.authority)]
    for server in servers:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        server.add_account(ME, "Max")
    tokens = [gmail.token_for(ME, EVERYTHING), *(server.token_for(ME) for server in servers[1:])]
    apis = (("gmail", "v1"), ("calendar", "v3"), ("drive", "v3"))
    clients = [service(*api, server.url, token) for api, server, token in zip(apis, servers, tokens, strict=True)]
    yield _side(clients, gmail.url)
    for server in servers:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
    loop.call_soon_threadsafe(loop.stop)


@contextmanager
def theirs(folder: Path) -> Generator[Side]:
    """Install and run the other emulator."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        sys.exit("This needs node and npm; install them and try again.")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "start.mjs").write_text(_START)
    subprocess.run([npm, "install", "--silent", "emulate@0.11.2"], cwd=folder, check=True)  # noqa: S603 - fixed words
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    seed = {"tokens": {"demo": {"login": ME, "scopes": []}}, "google": {"users": [{"email": ME, "name": "Max"}]}}
    process = subprocess.Popen([node, "start.mjs", str(port), json.dumps(seed)], cwd=folder)  # noqa: S603 - the same
    try:
        _wait_for(port)
        root = f"http://127.0.0.1:{port}/"
        apis = (("gmail", "v1"), ("calendar", "v3"), ("drive", "v3"))
        clients = [service(*api, root, "demo") for api in apis]
        yield _side(clients, root)
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("The other emulator did not start within 20 s.")


def main() -> None:
    """Ask both, and print a line for each question."""
    with tempfile.TemporaryDirectory() as folder, theirs(Path(folder)) as other, ours() as own:
        agreed = 0
        for what, question in QUESTIONS:
            left, right = answer(other, question), answer(own, question)
            agreed += left == right
            print(f"{'same  ' if left == right else 'DIFFER'}  {what}: {right if left == right else ''}")
            if left != right:
                print(f"            emulate {left}\n            ours    {right}")
        print(f"{agreed} of {len(QUESTIONS)} the same")


if __name__ == "__main__":
    main()
