"""Chunks, questions, and models that answer what a test wrote down."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from butler.agents.tailor.port import TailorInput
from butler.contract.agents import RetrievedContext
from butler.contract.errors import ButlerError
from tests.support.models import FormsOnly

LEASE = (
    "The flat is on the third floor. The monthly rent is EUR 1,200.00 and falls due on the 3rd of each month. "
    "Dr. Meier manages the house. The deposit is three months' rent."
)
COSTS = (
    "| Item | Amount | Due |\n|---|---|---|\n| Insurance | 240 EUR | 2026-05-01 |\n| Heating | 90 EUR | 2026-06-15 |"
)
MAIL = (
    "Hi,\nthe dentist moved your appointment to Tuesday 14 April at 10:30.\n"
    "See https://dentist.example/14 for the way.\nAnna"
)
VERTRAG = "Der Mietvertrag endet am 30. September 2027. Die Kündigungsfrist beträgt drei Monate."
BAIL = "Le loyer s'élève à 850 € par mois. La caution est de deux mois de loyer. Le bail commence le 1er juillet 2026."
CONTRATO = "El alquiler es de 700 euros al mes. El contrato termina el 31 de diciembre de 2027."


def chunk(
    name: str, content: str, title: str = "", *, relevance: float = 0.9, page: int | None = None
) -> RetrievedContext:
    return RetrievedContext(
        chunk_id=name,
        content=content,
        source_id=f"file:{name}",
        source_url=f"https://house.example/{name}",
        relevance_score=relevance,
        metadata={},
        title=title or name,
        page_number=page,
    )


CHUNKS = [
    chunk("lease", LEASE, "Lease"),
    chunk("costs", COSTS, "Costs", relevance=0.84, page=2),
    chunk("mail", MAIL, "Mail from Anna", relevance=0.81),
    chunk("vertrag", VERTRAG, "Mietvertrag"),
    chunk("bail", BAIL, "Bail"),
    chunk("contrato", CONTRATO, "Contrato"),
]


def question(words: str, chunks: list[RetrievedContext] | None = None, **more: Any) -> TailorInput:
    return TailorInput(user_query=words, context_chunks=CHUNKS if chunks is None else chunks, **more)


def claim(text: str, *quotes: tuple[str, str]) -> dict[str, Any]:
    return {"text": text, "quotes": [{"chunk": name, "words": words} for name, words in quotes]}


class Model(FormsOnly):
    """Answers with each of the forms in turn; the last one stays. An error is raised."""

    def __init__(self, *answers: dict[str, Any] | ButlerError | Callable[[str], dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    async def fill(self, form: type[Any], *, instructions: str, prompt: str, check: Any = None) -> Any:
        self.asked.append((instructions, prompt))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ButlerError):
            raise answer
        assert issubclass(form, BaseModel)
        return form.model_validate(answer(prompt) if callable(answer) else answer)
