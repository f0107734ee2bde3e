"""`[modules.trello.user]`: the owner's boards at Trello, through one account or several."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from modules._accounts.durations import Seconds
from modules._accounts.settings import FirstAccount, Section, in_use

KEY, TOKEN, SECRET = "USER_TRELLO_KEY", "USER_TRELLO_TOKEN", "USER_TRELLO_SECRET"


class TrelloSettings(Section):
    """An account at Trello."""

    provider: Literal["trello"] = "trello"
    """`trello`."""
    key_env: str = KEY
    """The variable that holds your API key; `butler login trello` seals it under this name."""
    token_env: str = TOKEN
    """The variable that holds the token of this account; `butler login trello` seals it under this name."""
    secret_env: str = SECRET
    """The variable that holds the secret of that key (“OAuth 1.0 secret”): with it, Trello's webhooks are taken."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^?#]+/$")] = "https://api.trello.com/1/"
    """The API's address, with a slash at its end."""
    requests_per_10s: int = Field(default=95, ge=1)
    """Requests in ten seconds at most; Trello refuses more than 100 of a token."""
    watch: bool = True
    """Whether cards are kept at hand, and it is looked which have changed, for what is to happen then."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=3600.0)
    """Seconds between two looks for what has changed."""
    enabled: bool = True
    """Whether it is in use."""


class FirstTrelloSettings(FirstAccount[TrelloSettings], TrelloSettings):
    """The person's first account."""

    variables: ClassVar[Mapping[str, str]] = {"token_env": TOKEN}


class TrelloModuleSettings(Section):
    """`[modules.trello]`."""

    user: FirstTrelloSettings | None = None

    def user_accounts(self) -> dict[str, TrelloSettings]:
        """Return the owner's enabled accounts by name, the default one first."""
        return in_use(self.user.account, self.user, self.user.accounts) if self.user is not None else {}
