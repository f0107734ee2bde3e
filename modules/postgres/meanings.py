"""The meanings of PostgreSQL's error codes, from the database itself or through PostgREST.

The sentences are translated where one is used.
"""

from butler.contract.errors import IntegrationErrorCode as Code
from butler.contract.speech import phrase

MEANINGS: dict[str, tuple[Code, str]] = {
    "28P01": (Code.AUTH_REQUIRED, phrase("the database does not take the password")),
    "28000": (Code.AUTH_REQUIRED, phrase("the database does not let this role in")),
    "42501": (Code.FORBIDDEN, phrase("the role may not read this")),
    "3D000": (Code.NOT_FOUND, phrase("there is no such database")),
    "3F000": (Code.NOT_FOUND, phrase("there is no such schema")),
    "42P01": (Code.NOT_FOUND, phrase("there is no such table")),
    "42703": (Code.NOT_FOUND, phrase("there is no such column")),
    "42883": (Code.NOT_FOUND, phrase("there is no such function, or not for values of these types")),
    "57014": (Code.TIMEOUT, phrase("the query took too long and was ended")),
    "55P03": (Code.TIMEOUT, phrase("somebody else holds a lock on this")),
    "25P03": (Code.TIMEOUT, phrase("the session was ended because it stood still")),
    "25P04": (Code.TIMEOUT, phrase("the query took too long and was ended")),
    "53300": (Code.RATE_LIMITED, phrase("the database has no room for another connection; try again later")),
    "25006": (Code.REJECTED, phrase("this would change something, and the butler only reads")),
    "21000": (Code.INVALID_INPUT, phrase("the query is not what the database can run")),
    "0A000": (Code.INVALID_INPUT, phrase("the query is not what the database can run")),
    "08P01": (Code.INVALID_INPUT, phrase("the values do not fit the query's $1, $2, ...")),
    "42P02": (Code.INVALID_INPUT, phrase("the values do not fit the query's $1, $2, ...")),
    "42601": (Code.INVALID_INPUT, phrase("this is not one SELECT that the database understands")),
    # Classes of codes, by their first two characters.
    "08": (Code.UNAVAILABLE, phrase("the connection to the database broke")),
    "53": (Code.UNAVAILABLE, phrase("the database has no room for this")),
    "57": (Code.UNAVAILABLE, phrase("the database is going down or coming up")),
    "58": (Code.UNAVAILABLE, phrase("the database has trouble of its own")),
    "XX": (Code.UNAVAILABLE, phrase("the database has trouble of its own")),
    "22": (Code.INVALID_INPUT, phrase("a value is not what the database can use there")),
    "42": (Code.INVALID_INPUT, phrase("the query is not what the database can run")),
}
OTHER = (Code.REJECTED, phrase("the database refused"))
UNREACHABLE = (Code.UNAVAILABLE, phrase("the database cannot be reached"))


def meaning_of(code: str) -> tuple[Code, str]:
    """Return the typed code and the sentence of a PostgreSQL error code."""
    return MEANINGS.get(code) or MEANINGS.get(code[:2]) or OTHER
