"""Signs in to one of the owner's servers over HTTP: by a bearer token, by name and password, or not at all."""

from base64 import b64encode
from typing import Self

from pydantic import model_validator

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.ports import Vault
from modules._remote.settings import RemoteSettings


class HttpAuthSettings(RemoteSettings):
    """A server that may ask who is there."""

    token_env: str = ""
    """The variable that holds a bearer token; empty where the server asks for none."""
    username: str = ""
    """The name for a server that asks for a name and a password."""
    password_env: str = ""
    """The variable that holds the password."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.token_env and (self.username or self.password_env):
            raise ValueError("give token_env, or username and password_env, not both")
        if bool(self.username) is not bool(self.password_env):
            raise ValueError("username and password_env belong together; give both")
        return self


def signed(settings: HttpAuthSettings, vault: Vault) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the headers that sign in, and their secrets. Raise `IntegrationFault` if a variable is not set."""
    if settings.token_env:
        token = _secret(settings.token_env, vault)
        return {"Authorization": f"Bearer {token}"}, (token,)
    if settings.username:
        password = _secret(settings.password_env, vault)
        both = b64encode(f"{settings.username}:{password}".encode()).decode("ascii")
        return {"Authorization": f"Basic {both}"}, (password, both)
    return {}, ()


def _secret(variable: str, vault: Vault) -> str:
    if value := vault.get(variable):
        return value
    raise IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, f"{variable} is not set")
