"""Google's format: generateContent of the Gemini API, in JSON as protocol buffers take it."""
# ruff: noqa: N815 - the fields are called as they are on the wire

from typing import Any, Literal

from pydantic import AliasChoices, Field

from tests.agents import wire_streams
from tests.agents.wire_base import KEY, Event, Fault, Json, Strict, Wire, is_schema, known

FIELDS = (
    "cachedContent contents generationConfig model safetySettings serviceTier store systemInstruction toolConfig tools"
)
MODEL = "gemini-2.5-flash"


class Called(Strict):
    name: str = Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_:.-]{0,127}$")
    id: str | None = None
    args: Json = Field(default_factory=dict[str, Any])


class Came(Strict):
    name: str
    id: str | None = None
    response: Json


class Part(Strict):
    text: str | None = None
    functionCall: Called | None = None
    functionResponse: Came | None = None
    thoughtSignature: str | None = None
    thought: bool | None = None


class Content(Strict):
    role: Literal["user", "model"] | None = None
    parts: list[Part] = Field(min_length=1)


class Declaration(Strict):
    name: str = Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_:.-]{0,127}$")
    description: str
    parameters_json_schema: Json = Field(
        validation_alias=AliasChoices("parametersJsonSchema", "parameters_json_schema")
    )


class Tool(Strict):
    functionDeclarations: list[Declaration]


class Calling(Strict):
    mode: Literal["AUTO", "ANY", "NONE", "VALIDATED"]
    allowedFunctionNames: list[str] = Field(default_factory=list[str])


class ToolConfig(Strict):
    functionCallingConfig: Calling


class Thinking(Strict):
    includeThoughts: bool = Field(default=False, validation_alias=AliasChoices("includeThoughts", "include_thoughts"))
    thinkingBudget: int | None = Field(default=None, validation_alias=AliasChoices("thinkingBudget", "thinking_budget"))
    thinkingLevel: Literal["MINIMAL", "LOW", "MEDIUM", "HIGH"] | None = Field(
        default=None, validation_alias=AliasChoices("thinkingLevel", "thinking_level")
    )


class Generation(Strict):
    thinkingConfig: Thinking | None = None
    maxOutputTokens: int | None = Field(default=None, gt=0)
    responseModalities: list[Literal["TEXT"]] = Field(default_factory=list[Any])


class Request(Strict):
    contents: list[Content] = Field(min_length=1)
    systemInstruction: Content | None = None
    tools: list[Tool] = Field(default_factory=list[Tool])
    toolConfig: ToolConfig | None = None
    generationConfig: Generation | None = None


def check(body: Json) -> None:
    known(body, FIELDS)
    request = Request.model_validate({key: value for key, value in body.items() if key in Request.model_fields})
    for tool in request.tools:
        for declaration in tool.functionDeclarations:
            is_schema(declaration.parameters_json_schema)
    if request.contents[0].role != "user":
        raise ValueError("contents begin with the user's")
    calls = 0
    for content in request.contents:
        answers = sum(part.functionResponse is not None for part in content.parts)
        if answers != calls:
            raise ValueError("as many function responses follow a turn as it has function calls")
        calls = sum(part.functionCall is not None for part in content.parts)
        for part in content.parts:
            if sum(value is not None for value in (part.text, part.functionCall, part.functionResponse)) != 1:
                raise ValueError("a part is of one kind")


def answer(parts: list[Json], finish: str = "STOP") -> Json:
    content = {"content": {"role": "model", "parts": parts}} if parts else {}
    return {"candidates": [content | {"finishReason": finish, "index": 0}]} | usage()


def usage() -> Json:
    return {
        "usageMetadata": {"promptTokenCount": 900, "candidatesTokenCount": 100, "totalTokenCount": 1000},
        "modelVersion": MODEL,
        "responseId": "response-1",
    }


def call(name: str, arguments: Any, *before: Json) -> Json:
    given = arguments if isinstance(arguments, dict) else {"answer": arguments}
    return answer([*before, {"functionCall": {"name": name, "args": given}}])


def tools(request: Json) -> dict[str, Json]:
    declared = [one for tool in request.get("tools", []) for one in tool["functionDeclarations"]]
    return {one["name"]: one.get("parametersJsonSchema", one.get("parameters_json_schema")) for one in declared}


def error(status: int, text: str, *details: Json) -> Json:
    kinds = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}
    kinds |= {503: "UNAVAILABLE"}
    return {
        "error": {"code": status, "message": text, "status": kinds.get(status, "INTERNAL"), "details": list(details)}
    }


USED_UP = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
GOOGLE = Wire(
    model=f"google:{MODEL}",
    path="",
    endpoint=f"/v1beta/models/{MODEL}:generateContent",
    call=call,
    text=lambda text: answer([{"text": text}]),
    both=lambda text, name, arguments: call(name, arguments, {"text": text}),
    refusals=(answer([], "SAFETY"), {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}} | usage()),
    cut=answer([{"text": '{"steps": ['}], "MAX_TOKENS"),
    error=error,
    quota=Fault(429, error(429, "You exceeded your current quota", USED_UP)),
    overloaded=Fault(503, error(503, "The model is overloaded. Please try again later.")),
    tools=tools,
    check=check,
    stream=wire_streams.google,
    fault=Event(error(503, "The model is overloaded. Please try again later.")),
    stream_endpoint=f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse",
    authorized=lambda headers: headers.get("x-goog-api-key") == KEY,
)
