"""The JSON schemas of models, generated once a process: building the modules asks for hundreds of them."""

from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel

_GENERATED: WeakKeyDictionary[type[BaseModel], dict[str, Any]] = WeakKeyDictionary()


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model; it is shared, so nobody may change it. Raises what pydantic raises for a broken one.

    A model that is no longer used takes its schema with it.
    """
    if (schema := _GENERATED.get(model)) is None:
        schema = _GENERATED[model] = model.model_json_schema()
    return schema
