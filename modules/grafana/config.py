"""`[modules.grafana.bot]`: a Grafana that the butler reads with a token of its own."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from modules._accounts.settings import Section
from modules._remote.settings import HttpRoot, RemoteSettings


class GrafanaSettings(RemoteSettings):
    """One Grafana."""

    provider: Literal["grafana"] = "grafana"
    """`grafana`."""
    url: HttpRoot
    """Its address, as you open it in the browser, without a slash at its end."""
    token_env: str = "BUTLER_GRAFANA_TOKEN"  # noqa: S105 - a variable's name
    """The variable that holds the token of a service account with the role Viewer."""
    hook_secret_env: str = ""
    """The variable that holds the secret with which Grafana signs its alerts; "" where it does not."""
    hook_timestamp_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{0,60}$")] = "X-Grafana-Alerting-Timestamp"
    """The header that is set as “Timestamp Header” beside that secret; "" where none is set."""
    hook_token_env: str = ""
    """The variable that holds the token which Grafana sends as “Authorization Header” instead."""
    render: bool = True
    """Whether Grafana's own pictures are asked for, where its image renderer is there; else the butler draws."""

    @property
    def hook_variable(self) -> str:
        """Return the variable of the secret or token that authenticates Grafana's alerts; "" for none."""
        return self.hook_secret_env or self.hook_token_env

    @model_validator(mode="after")
    def _one_proof(self) -> Self:
        if self.hook_secret_env and self.hook_token_env:
            raise ValueError("give hook_secret_env or hook_token_env, not both")
        return self


class GrafanaModuleSettings(Section):
    """`[modules.grafana]`."""

    bot: GrafanaSettings | None = None
