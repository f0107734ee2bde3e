"""Below what vendors' clients wrap it in, the error is found that says why there is no connection."""

import socket
import ssl

import pytest

from butler.contract.errors import ConfigError
from modules._remote.causes import require, root_of
from modules._remote.http import unreachable


def wrapped(inner: BaseException) -> Exception:
    """As clients do it: handed on as an argument, then as the cause, then as what was being handled."""
    last, between = OSError("all attempts failed"), LookupError("no connection")
    between.__cause__ = RuntimeError("could not", inner)
    last.__context__ = between
    return last


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        (ssl.SSLCertVerificationError("unknown"), "nobody known has signed its certificate; name yours as tls_ca"),
        (ssl.SSLError("wrong version"), "it does not speak TLS as it should"),
        (socket.gaierror("not known"), "its name is not known"),
        (ConnectionRefusedError("refused"), "nothing answers there"),
        (ConnectionResetError("reset"), "the connection broke"),
    ],
)
def test_what_really_broke_is_told(inner: Exception, why: str):
    assert unreachable(root_of(wrapped(inner))).message == f"the server cannot be reached: {why}"


def test_an_error_that_is_its_own_cause_is_looked_at_once():
    error = OSError("in a circle")
    error.__context__ = OSError("its other half")
    error.__context__.__context__ = error
    assert root_of(error) is error


def test_a_package_that_is_missing_is_said_with_what_to_do():
    require("json", "qdrant")
    with pytest.raises(ConfigError) as caught:
        require("no_such_package_of_ours", "qdrant")
    assert caught.value.detail == ("[modules.qdrant] needs a package that is not installed: install `butler[remote]`")
