"""A language model that fills typed forms or answers in words through pydantic-ai: any provider, no tools, limited.

Implements the `Llm` port. The client's libraries are heavy, so this file is imported only if a model is configured.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

import structlog
from pydantic import BaseModel
from pydantic_ai import Agent, ToolOutput, exceptions
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits

from butler.agents.answering import Review, Words
from butler.agents.errors import ModelOutputError, ModelTimeoutError, ModelUnavailableError
from butler.agents.llm import Budget, Check, OnText
from butler.agents.metered import MeteredModel
from butler.agents.providers import make_model
from butler.agents.request_settings import prefix_settings, request_settings
from butler.contract.errors import ButlerError
from butler.contract.speech import phrase, say
from config.settings import LlmSettings

log = structlog.get_logger(__name__)
A = TypeVar("A")
M = TypeVar("M", bound=BaseModel)

REPAIRS = 2
"""How often a model may correct an invalid answer."""
UNREADABLE = phrase("it answered something that cannot be read")
FORM = "final_result"
"""The only tool that a model gets: it answers by calling it."""


class ModelLlm:
    """One model of one provider, as `[llm]` names it; without a budget nothing is counted."""

    def __init__(self, settings: LlmSettings, api_key: str, budget: Budget | None = None) -> None:
        self._settings = settings
        self._model = MeteredModel(make_model(settings, api_key), budget)
        self._asking = request_settings(settings)

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: Check[M] | None = None) -> M:
        review = Review(form, check, REPAIRS)
        agent: Agent[None, M] = Agent(
            self._model, output_type=_tool(form), instructions=instructions, retries=REPAIRS, name="planner"
        )
        return await self._answer(agent, prompt, review, self._said(instructions, form))

    async def respond(
        self,
        form: type[M],
        *,
        instructions: str,
        prompt: str,
        check: Check[M] | None = None,
        on_text: OnText | None = None,
    ) -> M | str:
        review = Review(form, check, REPAIRS)
        agent: Agent[None, M | str] = Agent(
            self._model, output_type=[_tool(form), str], instructions=instructions, retries=REPAIRS, name="planner"
        )
        return await self._answer(agent, prompt, review, self._said(instructions, form), on_text)

    def _said(self, instructions: str, form: type[M]) -> ModelSettings:
        return self._asking | prefix_settings(self._settings, instructions, form)

    async def _answer(
        self,
        agent: Agent[None, A],
        prompt: str,
        review: Review[M],
        asking: ModelSettings,
        on_text: OnText | None = None,
    ) -> A | M:
        agent.output_validator(review.look_at)
        with self._plainly():
            try:
                # Entered for each request, so that no connection stays open between the owner's messages.
                async with agent:
                    result = await agent.run(
                        prompt,
                        usage_limits=UsageLimits(request_limit=REPAIRS + 1),
                        model_settings=asking,
                        event_stream_handler=None if on_text is None else Words(on_text).follow,
                    )
            except exceptions.UnexpectedModelBehavior:
                # A form with a fault that was told is better than none.
                if review.faulty is not None:
                    return review.faulty
                raise
        used = result.usage
        log.info("model_used", model=self._settings.model, requests=used.requests, cached=used.cache_read_tokens)
        return result.output

    @contextmanager
    def _plainly(self) -> Generator[None]:
        """Raise the port's errors, unchained and without quotes: a provider may repeat the prompt or the key."""
        try:
            yield
        except ButlerError:
            raise
        except exceptions.UnexpectedModelBehavior:
            raise ModelOutputError(say("it did not fill in what it was asked for")) from None
        except (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout) as error:
            raise ModelTimeoutError(_why(error)) from None
        except exceptions.ModelAPIError as error:
            raise ModelUnavailableError(_why(error)) from None
        except exceptions.AgentRunError as error:
            raise ModelUnavailableError(
                say("the conversation with it ended early ({error})", error=type(error).__name__)
            ) from None
        # Clients fail in various ways on an answer that their provider would never give.
        except Exception as error:  # noqa: BLE001
            log.warning("model_answer_unreadable", model=self._settings.model, kind=type(error).__name__)
            raise ModelOutputError(say(UNREADABLE)) from None


def _tool(form: type[M]) -> ToolOutput[M]:
    """Make a form a tool whose arguments are the answer, without a provider's strict mode.

    Strict schemas have no free-form object, and a plan's arguments are one.
    """
    return ToolOutput(form, name=FORM, strict=False)


REASONS: tuple[tuple[type[exceptions.ModelAPIError], str], ...] = (
    (exceptions.ModelAuthenticationError, phrase("it refuses the key; check [llm] api_key_env")),
    (
        exceptions.ModelQuotaExceededError,
        phrase("it says that the quota is used up; look at your account with the provider"),
    ),
    (exceptions.ModelRateLimitError, phrase("it says that this was too fast, or that the quota is used up")),
    (exceptions.ModelNotFoundError, phrase("it has no model of this name; check [llm] model and base_url")),
    (exceptions.ModelOverloadedError, phrase("it is overloaded at the moment")),
    (exceptions.ModelUnavailableError, phrase("it cannot serve anybody at the moment")),
    (exceptions.ModelContextWindowExceededError, phrase("the request is too long for this model")),
    (exceptions.ModelTimeoutError, phrase("it did not answer in time")),
    (exceptions.ModelRequestTimeout, phrase("it did not answer in time")),
    (exceptions.ModelConnectionError, phrase("it cannot be reached")),
)


_TOO_LONG = re.compile(r"\bcontext (?:length|size|window)\b", re.IGNORECASE)
"""How servers at home say that a request does not fit; they have no code for it in common."""
_NO_TOOLS = "does not support tools"
"""How Ollama says it."""


def _why(error: exceptions.ModelAPIError) -> str:
    """Return a plain phrase for the kind of error."""
    for kind, reason in REASONS:
        if isinstance(error, kind):
            return say(reason)
    if isinstance(error, exceptions.ModelHTTPError):
        if _TOO_LONG.search(str(error.body)):
            return say("the request is longer than its context; see [llm] context, or the settings of its server")
        if _NO_TOOLS in str(error.body):
            return say("it cannot call tools, and so cannot fill in a form; choose one that can")
        return say("it answered with HTTP status {status}", status=error.status_code)
    return say(UNREADABLE)
