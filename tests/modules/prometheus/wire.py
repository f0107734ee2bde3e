"""What an answer of Prometheus looks like, by its published description of the HTTP API."""
# pyright: reportUnknownMemberType=false
# jsonschema types its validators in part only.

from typing import Any

from jsonschema import Draft202012Validator

_STAMP: dict[str, Any] = {"type": "number"}
_SAMPLE: dict[str, Any] = {
    "type": "array",
    "prefixItems": [_STAMP, {"type": "string", "pattern": r"^(-?\d+(\.\d+)?|NaN|[+-]Inf)$"}],
    "minItems": 2,
    "items": False,
}
_METRIC: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}


def _object(**properties: Any) -> dict[str, Any]:
    needed = list(properties)
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _result(kind: str, result: Any) -> dict[str, Any]:
    return _object(resultType={"const": kind}, result=result)


SUCCESS = _object(
    status={"const": "success"},
    data={
        "oneOf": [
            _result("vector", {"type": "array", "items": _object(metric=_METRIC, value=_SAMPLE)}),
            _result(
                "matrix",
                {
                    "type": "array",
                    "items": _object(metric=_METRIC, values={"type": "array", "items": _SAMPLE, "minItems": 1}),
                },
            ),
            _result("scalar", _SAMPLE),
        ]
    },
)
KINDS = ["timeout", "canceled", "execution", "bad_data", "internal", "unavailable", "not_found"]
ERROR = _object(status={"const": "error"}, errorType={"enum": KINDS}, error={"type": "string", "minLength": 1})


def check(status: int, body: Any) -> None:
    """Fail where an answer is not as described."""
    Draft202012Validator(SUCCESS if 200 <= status < 300 else ERROR).validate(body)
