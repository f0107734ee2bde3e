"""The refusals of the Bot API in Telegram's own words."""

from .records import Json


class ApiError(Exception):
    """A refused request: `code` is the HTTP status and the `error_code`, the message the `description`."""

    def __init__(self, code: int, description: str, parameters: Json | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def as_answer(self) -> Json:
        answer: Json = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            answer["parameters"] = self.parameters
        return answer


def bad_request(reason: str, parameters: Json | None = None) -> ApiError:
    return ApiError(400, f"Bad Request: {reason}", parameters)


def forbidden(reason: str) -> ApiError:
    return ApiError(403, f"Forbidden: {reason}")


def conflict(reason: str) -> ApiError:
    return ApiError(409, f"Conflict: {reason}")


def not_built(what: str) -> ApiError:
    """Telegram has it, the stand-in does not; never an answer of the real API."""
    return ApiError(501, f"Not Implemented: {what} is in the Bot API but not in this stand-in")


def too_many_requests(retry_after: int) -> ApiError:
    return ApiError(429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after})


class PersonError(ValueError):
    """The test, script or page asked for something that no person could do; the message says what."""
