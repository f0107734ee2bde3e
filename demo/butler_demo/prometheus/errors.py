"""Refusals in the form that Prometheus gives them."""

STATUS = {"bad_data": 400, "execution": 422, "timeout": 503, "unavailable": 503, "internal": 500, "not_found": 404}


class PrometheusError(Exception):
    """A refusal with its `errorType`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.status = STATUS[kind]


def bad_data(parameter: str, why: str) -> PrometheusError:
    """A parameter that is missing or cannot be used."""
    return PrometheusError("bad_data", f'invalid parameter "{parameter}": {why}')
