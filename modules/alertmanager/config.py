"""`[modules.alertmanager.bot]`: who may send alerts to `/hooks/alertmanager`."""

from typing import Literal, Self

from pydantic import model_validator

from modules._accounts.settings import Section


class AlertmanagerSettings(Section):
    """One Alertmanager, which proves itself by a token, or by a name and a password."""

    provider: Literal["alertmanager"] = "alertmanager"
    """`alertmanager`."""
    token_env: str = "BUTLER_ALERTMANAGER_TOKEN"  # noqa: S105 - a variable's name
    """The variable that holds the bearer token which it sends; "" where it sends a name and a password."""
    username: str = ""
    """The name that it sends instead."""
    password_env: str = ""
    """The variable that holds the password that it sends."""
    enabled: bool = True
    """Whether alerts are taken."""

    @model_validator(mode="after")
    def _proves_itself(self) -> Self:
        if bool(self.username) is not bool(self.password_env):
            raise ValueError("username and password_env belong together; give both")
        if not self.token_env and not self.username:
            raise ValueError("anybody could send alerts; give token_env, or username and password_env")
        return self


class AlertmanagerModuleSettings(Section):
    """`[modules.alertmanager]`."""

    bot: AlertmanagerSettings | None = None
