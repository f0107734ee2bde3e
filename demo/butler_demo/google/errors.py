"""Errors in the JSON shape in which Google's APIs answer them."""

from typing import Any

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    412: "FAILED_PRECONDITION",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
}
_USAGE_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "dailyLimitExceeded", "quotaExceeded"})


class GoogleError(Exception):
    """A request is refused with an HTTP status and Google's machine-readable reason."""

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        *,
        headers: dict[str, str] | None = None,
        location: dict[str, str] | None = None,
        domain: str = "",
        details: list[dict[str, Any]] | None = None,
    ) -> None:
        """`location` names the refused part of the request, `details` are google.rpc error details.

        `domain` is whose reason it is: that of the usage limits, else everybody's, where none is named.
        """
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.headers = headers or {}
        self._domain = domain or ("usageLimits" if reason in _USAGE_REASONS else "global")
        self._location = location or {}
        self._details = details or []

    def body(self, *, names_status: bool = True) -> dict[str, Any]:
        """Return the JSON body of the answer; the older APIs do not name the status unless there are details."""
        entry = {"message": self.message, "domain": self._domain, "reason": self.reason} | self._location
        error: dict[str, Any] = {"code": self.status, "message": self.message, "errors": [entry]}
        if self.status in STATUS_NAMES and (names_status or self._details):
            error["status"] = STATUS_NAMES[self.status]
        if self._details:
            error["details"] = self._details
        return {"error": error}


def invalid_argument(message: str) -> GoogleError:
    """Return the 400 for a value that the service does not accept."""
    return GoogleError(400, "invalidArgument", message)


def bad_request(message: str) -> GoogleError:
    """Return the 400 for a request that does not fit the published description."""
    return GoogleError(400, "badRequest", message)


def invalid_value(name: str, message: str = "Invalid Value") -> GoogleError:
    """Return the 400 of Calendar and Drive for one parameter."""
    return GoogleError(400, "invalid", message, location={"locationType": "parameter", "location": name})


def not_found() -> GoogleError:
    """Return the 404 for an entity that this account does not hold."""
    return GoogleError(404, "notFound", "Requested entity was not found.")


def not_in_stand_in(what: str) -> GoogleError:
    """Return a 501 of our own: the real service can do this, the stand-in says plainly that it cannot."""
    return GoogleError(501, "notImplemented", f"The stand-in does not implement {what}.")


def invalid_credentials() -> GoogleError:
    """Return the 401 for a missing, unknown, expired or revoked access token."""
    return GoogleError(
        401,
        "authError",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or"
        " other valid authentication credential.",
        headers={"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'},
        location={"location": "Authorization", "locationType": "header"},
    )


def insufficient_scopes(service: str, method: str) -> GoogleError:
    """Return the 403 for a token whose scopes do not cover the method."""
    return GoogleError(
        403,
        "insufficientPermissions",
        "Request had insufficient authentication scopes.",
        details=[
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                "domain": "googleapis.com",
                "metadata": {"service": service, "method": method},
            },
        ],
    )
