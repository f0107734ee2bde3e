"""An OAuth token introspection endpoint (RFC 7662) on loopback, for Dovecot's XOAUTH2."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs


class Introspection:
    """Knows which token is whose; any other is not active."""

    def __init__(self) -> None:
        self.addresses: dict[str, str] = {}
        addresses = self.addresses

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                token = parse_qs(self.rfile.read(length).decode()).get("token", [""])[0]
                address = addresses.get(token)
                answer = {"active": False} if address is None else {"active": True, "email": address}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                """Keep tokens out of the test output."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/introspect"

    def set_token(self, address: str, token: str | None) -> None:
        """Make `token` the only one of `address`; None takes it away."""
        for old in [old for old, owner in self.addresses.items() if owner == address]:
            del self.addresses[old]
        if token is not None:
            self.addresses[token] = address

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
