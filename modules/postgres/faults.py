"""Maps errors of a session to typed errors: by their code, with a short line of the server's own."""

import re

import psycopg

from butler.contract.errors import IntegrationErrorCode as Code
from butler.contract.errors import IntegrationFault
from butler.contract.speech import phrase, say
from modules._remote.http import with_reason
from modules.postgres.meanings import MEANINGS, UNREACHABLE, meaning_of

NO_POSTGRES = (Code.INVALID_OUTPUT, phrase("what answers there does not speak as PostgreSQL does"))
_GARBLED = r"received invalid response|lost synchronization|unexpected message|expected authentication request"

# libpq gives no code when a session fails to start, only the server's text: these are the English texts of servers,
# the first match counts. Without a match, it depends on how far the start got.
_AT_START: tuple[tuple[str, tuple[Code, str]], ...] = (
    (_GARBLED, NO_POSTGRES),
    (r"password authentication failed", MEANINGS["28P01"]),
    (r"no pg_hba\.conf entry|is not permitted to log in|role .* does not exist|tenant or user", MEANINGS["28000"]),
    (r"permission denied for database", (Code.FORBIDDEN, phrase("the role may not use this database"))),
    (r"database .* does not exist", MEANINGS["3D000"]),
    (r"too many (clients|connections)|remaining connection slots|max clients", MEANINGS["53300"]),
    (r"starting up|shutting down|in recovery", MEANINGS["57"]),
    (
        r"certificate|root\.crt",
        (Code.UNAVAILABLE, phrase("the database's certificate is not trusted; name its CA as tls_ca")),
    ),
    (
        r"server does not support SSL",
        (Code.UNAVAILABLE, phrase("the database does not offer TLS, and sslmode asks for it")),
    ),
)


def of_start(error: psycopg.Error) -> IntegrationFault:
    """Return the fault of a failed start, without the client's text, which names host and role."""
    text = str(error)
    for pattern, (code, sentence) in _AT_START:
        if re.search(pattern, text, re.IGNORECASE):
            return IntegrationFault(code, say(sentence))
    asked = error.pgconn is not None and (error.pgconn.needs_password or error.pgconn.used_password)
    code, sentence = MEANINGS["28P01"] if asked else UNREACHABLE
    return IntegrationFault(code, say(sentence))


def of_query(error: psycopg.Error, *, offset: int = 0, secrets: tuple[str, ...] = ()) -> IntegrationFault:
    """Return the fault of a failed statement; `offset` characters of it precede the caller's own."""
    if error.sqlstate is None:
        if isinstance(error, psycopg.DataError):
            return IntegrationFault(
                Code.INVALID_INPUT, phrase("a text for the database may not hold the character NUL")
            )
        code, sentence = NO_POSTGRES if re.search(_GARBLED, str(error)) else MEANINGS["08"]
        return IntegrationFault(code, say(sentence))
    code, sentence = meaning_of(error.sqlstate)
    text = error.diag.message_primary or ""
    if (at := error.diag.statement_position) and at.isdigit() and int(at) > offset:
        text = say("{said}, at character {position}", said=text, position=int(at) - offset)
    return IntegrationFault(code, with_reason(say(sentence), text, secrets), provider_code=error.sqlstate)
