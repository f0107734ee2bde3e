"""Maps an S3 server's refusals and lost connections to typed errors."""

from typing import TYPE_CHECKING, Any, cast

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.speech import say
from modules._remote.causes import root_of
from modules._remote.http import SENTENCES, as_code, code_of, unreachable, wait_s, with_reason

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

_CODES = {
    "InvalidAccessKeyId": IntegrationErrorCode.AUTH_REQUIRED,
    "SignatureDoesNotMatch": IntegrationErrorCode.AUTH_REQUIRED,
    "ExpiredToken": IntegrationErrorCode.AUTH_REQUIRED,
    "InvalidToken": IntegrationErrorCode.AUTH_REQUIRED,
    "Unauthorized": IntegrationErrorCode.AUTH_REQUIRED,
    "AccessDenied": IntegrationErrorCode.FORBIDDEN,
    "NoSuchKey": IntegrationErrorCode.NOT_FOUND,
    "NoSuchBucket": IntegrationErrorCode.NOT_FOUND,
    "SlowDown": IntegrationErrorCode.RATE_LIMITED,
    "TooManyRequests": IntegrationErrorCode.RATE_LIMITED,
    "PreconditionFailed": IntegrationErrorCode.CONFLICT,
    "EntityTooLarge": IntegrationErrorCode.INVALID_INPUT,
    "NotImplemented": IntegrationErrorCode.REJECTED,
    "BadDigest": IntegrationErrorCode.UNAVAILABLE,
}
"""Meanings of S3's codes; for all others, the HTTP status decides."""


def fault_of(error: Exception, *, bucket: str, key: str, secrets: tuple[str, ...]) -> IntegrationFault:
    """Return the typed error of a boto3 exception."""
    from botocore import exceptions as b  # noqa: PLC0415 - the client is loaded when it is used
    from botocore.parsers import ResponseParserError  # noqa: PLC0415 - as above

    match error:
        case b.ClientError():
            return _refused(error, bucket, key, secrets)
        case b.ReadTimeoutError():
            return IntegrationFault(IntegrationErrorCode.TIMEOUT, "the server did not answer in time")
        case ResponseParserError():
            return unreadable()
        case _:
            return unreachable(root_of(error))


def unreadable() -> IntegrationFault:
    """Return the fault of an answer that does not follow the protocol."""
    return IntegrationFault(IntegrationErrorCode.INVALID_OUTPUT, "the server's answer cannot be read")


def _refused(error: "ClientError", bucket: str, key: str, secrets: tuple[str, ...]) -> IntegrationFault:
    response = cast("dict[str, Any]", error.response)
    value, meta = response.get("Error", {}), response.get("ResponseMetadata", {})
    name, status = str(value.get("Code", "")), int(meta.get("HTTPStatusCode", 0))
    code = _CODES.get(name) or code_of(status)
    waits = str(meta.get("HTTPHeaders", {}).get("retry-after", ""))
    return IntegrationFault(
        code,
        _sentence(code, name, str(value.get("Message", "")), bucket, key, secrets),
        provider_code=as_code(name, secrets),
        http_status=status,
        retry_after_s=wait_s(waits),
    )


def _sentence(code: IntegrationErrorCode, name: str, said: str, bucket: str, key: str, secrets: tuple[str, ...]) -> str:
    if name == "NoSuchBucket":
        return say("there is no bucket {bucket} on the server", bucket=bucket)
    if name == "NoSuchKey":
        return say("there is no file {key} in the bucket", key=key)
    return with_reason(SENTENCES[code], said, secrets)
