"""Asks several models in the owner's order, and announces when another one answers.

The next model is asked if one does not answer (no key, no quota, overloaded, too slow, unreachable, the day's limit) or
answers something unusable. A refusal is final: asking on until a model agrees would be shopping for consent, and would
give the owner's words to one more company. The turn's own limits are final too.

This file loads no model library.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import structlog
from pydantic import BaseModel

from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError
from butler.agents.llm import Budget, Check, Llm, OnText
from butler.contract.errors import ConfigError
from butler.contract.speech import say
from config.settings import LlmSettings

log = structlog.get_logger(__name__)
A = TypeVar("A")
M = TypeVar("M", bound=BaseModel)

EMBEDDED = "embedded"
REST_S = 60.0
"""How long to skip a model that did not answer, if another can be asked."""

Announce = Callable[[str, str], Awaitable[None]]
"""Takes a key and a sentence for the owner, such as `Troubles.tell`."""


async def silently(key: str, sentence: str) -> None:
    """Announce nothing."""


class ActiveModel:
    """The model that answers at present. A change is recorded and announced once."""

    def __init__(self, first: str, announce: Announce = silently) -> None:
        self._first, self._announce = first, announce
        self.current = first
        """The model that answered last, as `[llm]` names it."""

    async def by(self, name: str, why: str = "") -> None:
        """Record that `name` answered; `why` says why the first model did not."""
        if name == self.current:
            return
        before, self.current = self.current, name
        log.warning("model_changed", before=before, now=name, why=why)
        if name == self._first:
            await self._announce(f"model:{name}", say("The language model {model} answers again", model=name))
            return
        who = say("the planner without a model") if name == EMBEDDED else name
        await self._announce(
            f"model:{name}",
            say("{model} could not answer: {why}. Now {other} answers instead", model=self._first, why=why, other=who),
        )


@dataclass(frozen=True, slots=True)
class NamedLlm:
    """A model with its name in `[llm]`."""

    name: str
    llm: Llm


class FallbackLlm:
    """Implements `Llm`: asks the models in order."""

    def __init__(self, models: Sequence[NamedLlm], answering: ActiveModel, *, embedded_last: bool = False) -> None:
        """`embedded_last` says that a planner without a model answers if none of these does."""
        self._models, self.answering, self.embedded_last = tuple(models), answering, embedded_last
        self._rests_until: dict[str, float] = {}

    async def fill(self, form: type[M], *, instructions: str, prompt: str, check: Check[M] | None = None) -> M:
        return await self._first(lambda llm: llm.fill(form, instructions=instructions, prompt=prompt, check=check))

    async def respond(
        self,
        form: type[M],
        *,
        instructions: str,
        prompt: str,
        check: Check[M] | None = None,
        on_text: OnText | None = None,
    ) -> M | str:
        """Where a model broke off in the middle, `on_text` takes the words of the next one from their start."""
        return await self._first(
            lambda llm: llm.respond(form, instructions=instructions, prompt=prompt, check=check, on_text=on_text)
        )

    async def _first(self, ask: Callable[[Llm], Awaitable[A]]) -> A:
        """Return the first answer."""
        failures: list[tuple[str, ModelUnavailableError | ModelOutputError]] = []
        for model in self._order():
            try:
                answer = await ask(model.llm)
            except (ModelRefusedError, TurnLimitError):
                raise
            except (ModelUnavailableError, ModelOutputError) as error:
                log.warning("model_failed", model=model.name, kind=type(error).__name__, why=error.detail)
                failures.append((model.name, error))
                if isinstance(error, ModelUnavailableError):
                    self._rests_until[model.name] = asyncio.get_running_loop().time() + REST_S
                continue
            await self.answering.by(
                model.name, failures[0][1].detail if failures else say("it did not answer a moment ago")
            )
            return answer
        raise all_failed(failures)

    def _order(self) -> list[NamedLlm]:
        """Return the models with the skipped ones last, otherwise in the owner's order."""
        now = asyncio.get_running_loop().time()
        return sorted(self._models, key=lambda model: self._rests_until.get(model.name, 0.0) > now)


def all_failed(
    failures: Sequence[tuple[str, ModelUnavailableError | ModelOutputError]],
) -> ModelUnavailableError | ModelOutputError:
    """Build the message for when no model answered, with the reason of each if there are several."""
    if len(failures) == 1:
        return failures[0][1]
    return ModelUnavailableError("; ".join(f"{name}: {error.detail}" for name, error in failures))


def choices(settings: LlmSettings) -> list[LlmSettings]:
    """Return the settings of each model, in order, without `embedded`.

    A fallback is `PROVIDER:NAME` or `PROVIDER:NAME@URL`. A fallback of the first model's provider uses the same key and
    address; others have their own key variable, such as `BUTLER_LLM_KEY_OPENAI`. Raises `ConfigError`.
    """
    if EMBEDDED in settings.fallbacks[:-1]:
        raise ConfigError("[llm] fallbacks has a model after embedded, which always answers; put embedded last")
    provider = settings.model.partition(":")[0]
    found = [settings]
    for fallback in settings.fallbacks:
        if fallback == EMBEDDED:
            continue
        model, _, address = fallback.partition("@http")
        its_own = model.partition(":")[0]
        same = its_own == provider
        url = f"http{address}" if address else settings.base_url if same else ""
        variable = settings.api_key_env if same else f"{settings.api_key_env}_{its_own.replace('-', '_').upper()}"
        found.append(settings.model_copy(update={"model": model, "base_url": url, "api_key_env": variable}))
    return found


def answering_now(settings: LlmSettings, llm: Llm | None) -> str:
    """Return the name in `[llm]` of what answers at present: a model, a fallback, or `embedded`."""
    if llm is None:
        return EMBEDDED
    return llm.answering.current if isinstance(llm, FallbackLlm) else settings.model


def key_variables(settings: LlmSettings) -> list[str]:
    """Return every variable that holds a model's key; for log redaction."""
    return list(dict.fromkeys(one.api_key_env for one in choices(settings)))


def make_llm(
    settings: LlmSettings, secrets: Mapping[str, str], budget: Budget | None, announce: Announce = silently
) -> Llm | None:
    """Make the models of `[llm]` behind one port; None for the embedded planner alone. Raise `ConfigError`."""
    if settings.model == EMBEDDED:
        return None
    from butler.agents.model import ModelLlm  # noqa: PLC0415 - a model's client is heavy, and only some have one

    each = [NamedLlm(one.model, ModelLlm(one, secrets.get(one.api_key_env, ""), budget)) for one in choices(settings)]
    if not settings.fallbacks:
        return each[0].llm
    embedded = settings.fallbacks[-1] == EMBEDDED
    return FallbackLlm(each, ActiveModel(settings.model, announce), embedded_last=embedded)
