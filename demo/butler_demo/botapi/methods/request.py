"""What a method gets: the state, the bot that asks, the checked parameters."""

from collections.abc import Callable
from dataclasses import dataclass

from ..chats import Bot, Chat
from ..errors import not_built
from ..faults import Faults
from ..records import Json
from ..state import State

UNBUILT_PARAMETERS = (
    "protect_content",
    "business_connection_id",
    "direct_messages_topic_id",
    "suggested_post_parameters",
    "rich_message",
    "inline_message_id",
)


@dataclass(frozen=True, slots=True)
class Request:
    state: State
    faults: Faults
    bot: Bot
    params: Json

    def refuse_unbuilt(self) -> None:
        """Raise ApiError 501 for parameters that would be silently without effect."""
        for name in UNBUILT_PARAMETERS:
            if name in self.params:
                raise not_built(f'parameter "{name}"')

    def target(self) -> Chat:
        """The chat to send to, its topic checked; raises ApiError."""
        chat = self.state.writable_chat(self.bot, self.params["chat_id"])
        chat.check_thread(self.params.get("message_thread_id"))
        return chat


Handler = Callable[[Request], object]
