"""Every module that is discovered keeps the contract; a new folder is held to it without a word written here."""

import ast
import inspect
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

import modules
from butler.contract.base_integration import BaseIntegration
from butler.contract.channel import ChannelInfo
from butler.contract.integration import MethodSpec
from butler.contract.module import Module, ModuleContext
from butler.contract.names import Direction, Identity, ToolName
from butler.contract.tools import ArgRole, ExecutionMode, ToolSpec
from butler.discovery import discover
from butler.offline import example_modules, offline_context, offline_registry
from butler.registry import declared

pytestmark = pytest.mark.every_case


REGISTRY, CLASSES = offline_registry()
CHANNELS = sorted(CLASSES)
FOLDER = Path(modules.__file__).parent
SAY_IT_THEMSELVES = frozenset({"telegram", "tools", "digests"})
"""Channels whose things name their senders, or that hold the butler's words alone."""


@pytest.fixture(params=CHANNELS)
def channel(request: pytest.FixtureRequest) -> str:
    return request.param


def module_of(channel: str) -> Module:
    return next(module for module in example_modules() if module.channel == channel)


def test_a_folder_is_named_as_its_channel_and_holds_what_a_reader_looks_for(channel: str):
    folder = FOLDER / channel
    assert (folder / "README.md").read_text().startswith("# ")
    assert (folder / "prompts").is_dir() == any(spec.channel == channel for spec in REGISTRY.specs())


def test_the_package_says_module_and_nothing_else(channel: str):
    body = ast.parse((FOLDER / channel / "__init__.py").read_text()).body
    kinds = [type(node) for node in body if not isinstance(node, ast.Expr)]
    assert kinds == [ast.ImportFrom, ast.Assign]
    assert discover()[channel] is CLASSES[channel]


def test_settings_refuse_unknown_keys(channel: str):
    with pytest.raises(ValidationError):
        CLASSES[channel].settings_model.model_validate({"no_such_setting": 1})


def test_building_a_module_connects_to_nothing_and_needs_no_secret(channel: str):
    kind = CLASSES[channel]
    assert list(inspect.signature(kind).parameters) == ["settings", "context"]
    assert isinstance(module_of(channel).context, ModuleContext)
    assert offline_context().vault.get("BUTLER_TELEGRAM_TOKEN") == ""


def test_every_tool_agrees_with_the_method_that_returned_it(channel: str):
    for identity, direction, specs in declared(module_of(channel)):
        for spec in specs:
            assert isinstance(spec, ToolSpec)
            assert ToolName.parse(spec.tool_name).identity is identity is spec.identity
            assert spec.direction is direction
            assert spec.channel == channel
            assert spec.description.endswith(".")


def test_every_output_of_the_person_asks_by_default(channel: str):
    for spec in module_of(channel).user_outputs():
        assert spec.approval_default == "always"


def test_every_argument_has_a_role_and_every_output_to_others_names_its_recipients(channel: str):
    for spec in REGISTRY.specs():
        if spec.channel != channel:
            continue
        roles = REGISTRY.metadata(spec.tool_name).args
        assert set(roles) == set(spec.args.model_fields)
        if spec.direction is Direction.OUTPUT and not spec.to_owner:
            assert any(role in {ArgRole.RECIPIENT, ArgRole.TARGET} for role in roles.values())


def test_the_words_of_a_module_are_for_its_own_tools(channel: str):
    path = FOLDER / channel / "texts.toml"
    words = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    specs = [spec for spec in REGISTRY.specs() if spec.channel == channel]
    assert set(words.get("channel", {})) <= {"name"}
    assert set(words.get("actions", {})) <= {ToolName.parse(spec.tool_name).action for spec in specs}
    assert set(words.get("arguments", {})) <= {name for spec in specs for name in spec.args.model_fields}
    assert all(len(one) == 2 for one in words.get("actions", {}).values())


async def test_every_tool_tells_what_it_is_for_and_how_it_is_called(channel: str):
    backed = {
        identity: {m.method_id for one in module_of(channel).backing(identity) for m in one.describe_methods()}
        for identity in Identity
    }
    for spec in REGISTRY.specs():
        if spec.channel != channel:
            continue
        told = await REGISTRY.describe(spec.tool_name, "help")
        assert told["guide"]
        assert told["args"]["type"] == "object"
        for example in told["examples"]:
            assert set(told["args"].get("required", ())) <= set(example) <= set(spec.args.model_fields)
        assert (told["returns"] is not None) == (spec.execution_mode is ExecutionMode.REMOTE)
        methods = (await REGISTRY.describe(spec.tool_name, "list_methods"))["methods"]
        assert {method["method_id"] for method in methods} <= backed[spec.identity]
        assert bool(methods) == bool(backed[spec.identity])
        assert (await REGISTRY.describe(spec.tool_name, "list_providers"))["providers"]


def test_every_integration_publishes_versioned_methods_and_has_one_door(channel: str):
    for integration in module_of(channel).integrations():
        assert isinstance(integration, BaseIntegration)
        assert type(integration).call is BaseIntegration.call
        methods = integration.describe_methods()
        assert methods
        assert len({m.method_id for m in methods}) == len(methods)
        for method in methods:
            assert isinstance(method, MethodSpec)
            assert method.method_id.startswith(f"{method.provider}.")
            assert method.input_schema["type"] == "object"


def test_a_channel_with_tools_says_what_it_holds(channel: str):
    specs = [spec for spec in REGISTRY.specs() if spec.channel == channel]
    assert {spec.about for spec in specs} <= {CLASSES[channel].about}
    assert not specs or channel in SAY_IT_THEMSELVES or CLASSES[channel].about != ChannelInfo()


def test_both_identities_are_never_one(channel: str):
    specs = [spec for spec in REGISTRY.specs() if spec.channel == channel]
    backing = [set(module_of(channel).backing(identity)) for identity in {spec.identity for spec in specs}]
    assert len(set[BaseIntegration]().union(*backing)) == sum(map(len, backing))
    assert {spec.identity for spec in specs} <= set(Identity)
    assert all(spec.tool_name.startswith(f"{spec.identity}_{channel}_") for spec in specs)
