"""The records of the contract: what the seeds name is there, times are aware, state is bounded, labels join."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from butler.agents.parser.port import ParserInput
from butler.agents.tailor.port import SourceCitation, TailorInput, TailorOutput
from butler.contract import bulk
from butler.contract.agents import (
    AgentFailure,
    ConnectorInput,
    ConnectorOutput,
    MemoryOutput,
    MemoryQuery,
    ParsedChunk,
    ParserOutput,
    PlanStep,
    RetrievedContext,
    utcnow,
)
from butler.contract.errors import AGENT_CODE_OF, AgentErrorCode, ButlerError, IntegrationErrorCode
from butler.contract.integration import IntegrationCall, IntegrationError, IntegrationResult, MethodSpec, ResultMeta
from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.referents import ReferentKind
from butler.guardrails.guard import GuardrailsInput, GuardrailsOutput
from butler.orchestrator.execution.finishing import AgentMetadata, OrchestratorOutput
from butler.orchestrator.planning.requests import OrchestratorInput
from butler.orchestrator.replies.failures import EXPECTED_ACTION
from butler.store.conversation import HISTORY_LIMIT, REFERENT_LIMIT, ConversationMessage, ConversationState
from butler.store.errors import StoreBusyError

SEED_2 = {
    AgentMetadata: "agent_id timestamp model_version",
    GuardrailsInput: "content check_type metadata",
    GuardrailsOutput: "is_safe sanitized_content risk_category reasoning",
    ConnectorInput: "source_type source_identifier credentials_id recursive",
    ConnectorOutput: "file_path file_size_bytes source_metadata checksum",
    ParserInput: "file_path file_type ingestion_source force_ocr",
    ParsedChunk: "chunk_id content chunk_index page_number layout_type bbox",
    ParserOutput: "document_id metadata chunks total_pages processing_time_ms",
    MemoryQuery: "query_text top_k min_relevance_score filters",
    RetrievedContext: "chunk_id content source_id source_url relevance_score metadata",
    MemoryOutput: "results total_found",
    TailorInput: "user_query context_chunks persona formatting_instructions",
    SourceCitation: "source_id chunk_id text_snippet url",
    TailorOutput: "content citations tone_used follow_up_suggestions confidence_score",
    PlanStep: "step_id description tool_call status",
    OrchestratorInput: "user_message session_id user_id",
    OrchestratorOutput: "final_response execution_plan processing_time_total_ms",
    AgentFailure: "agent_id error_code message recoverable details timestamp",
}
SEED_5 = {
    MethodSpec: "method_id provider input_schema output_schema capabilities auth_scopes rate_limit_hint idempotency "
    "cost_hint deprecated replacement_method_id",
    IntegrationCall: "trace_id method_id args timeout_ms retry_policy cursor dry_run",
    IntegrationResult: "ok data raw meta error",
    ResultMeta: "provider_request_id latency_ms next_cursor rate_limit_remaining cost_units provenance",
    IntegrationError: "code message provider_code http_status retriable",
}


@pytest.mark.parametrize(("model", "fields"), SEED_2.items())
def test_every_schema_of_the_agents_has_every_field(model: type, fields: str):
    assert set(fields.split()) <= set(model.model_fields)  # type: ignore[attr-defined]


def test_the_conversation_has_every_field():
    wanted = {"session_id", "history", "current_plan", "accumulated_context", "user_preferences"}
    assert wanted <= set(ConversationState.model_fields)
    assert {"role", "content", "timestamp"} <= set(ConversationMessage.model_fields)


@pytest.mark.parametrize(("model", "fields"), SEED_5.items())
def test_every_schema_of_the_integrations_has_every_field(model: type, fields: str):
    assert set(fields.split()) <= set(model.model_fields)  # type: ignore[attr-defined]


def test_the_bulk_interface_has_every_method_and_record():
    methods = {"tool_name", "prepare", "get_total_count", "get_next_batch", "execute_batch"}
    assert bulk.BulkToolAdapter.__abstractmethods__ == methods
    assert bulk.BulkItem("1", "one").raw_data is None
    assert bulk.BulkResult("1", success=True).error is None
    assert bulk.PreparedBulkContext("gmail", "label", {}, {}).metadata is None


def test_times_without_a_zone_are_refused():
    with pytest.raises(ValidationError):
        AgentFailure(agent_id="a", error_code="ERR_TIMEOUT", message="", timestamp=datetime(2026, 1, 1))  # noqa: DTZ001
    assert AgentFailure(agent_id="a", error_code="ERR_TIMEOUT", message="").timestamp.tzinfo is not None


def test_all_nine_codes_have_an_expected_action():
    nine = """ERR_GUARDRAIL_INJECTION ERR_GUARDRAIL_UNSAFE ERR_CONNECTOR_AUTH ERR_CONNECTOR_NOT_FOUND
        ERR_PARSER_ENCRYPTED
        ERR_PARSER_UNSUPPORTED ERR_MEMORY_NO_RESULTS ERR_TAILOR_HALLUCINATION ERR_TIMEOUT"""
    assert set(nine.split()) <= set(AgentErrorCode)
    assert set(EXPECTED_ACTION) == set(AgentErrorCode)
    assert AGENT_CODE_OF[IntegrationErrorCode.AUTH_REQUIRED] is AgentErrorCode.CONNECTOR_AUTH


def test_an_error_says_its_docstring_and_its_detail():
    assert str(StoreBusyError()) == "The database is locked by another program."
    assert str(StoreBusyError("since 12:00")) == "The database is locked by another program: since 12:00"
    assert isinstance(StoreBusyError(), ButlerError)


def test_a_conversation_is_bounded_and_comes_back_from_storage_as_it_was():
    state = ConversationState(session_id="telegram:42")
    for number in range(HISTORY_LIMIT + 5):
        state.add_message("user", f"message {number}")
    for number in range(REFERENT_LIMIT + 5):
        state.add_referent(ReferentKind.MAIL, f"key {number}", ordinal=number)
    assert len(state.history) == HISTORY_LIMIT
    assert state.history[-1].content == f"message {HISTORY_LIMIT + 4}"
    assert len(state.referents) == REFERENT_LIMIT
    assert ConversationState.model_validate_json(state.model_dump_json()) == state


def test_a_thing_keeps_its_handle_and_a_forgotten_handle_is_not_given_again():
    state = ConversationState(session_id="s")
    first = state.add_referent(ReferentKind.MAIL, "a", ordinal=2)
    assert state.add_referent(ReferentKind.MAIL, "a").handle == first.handle == "mail-1"
    state.referents.clear()
    assert state.add_referent(ReferentKind.MAIL, "b").handle == "mail-2"


def test_the_context_of_a_turn_can_be_cleared():
    state = ConversationState(
        session_id="s", current_plan=[PlanStep(step_id=1, description="", tool_call="bot_example_act")]
    )
    state.clear_context()
    assert state.current_plan is None
    assert state.accumulated_context == []


def test_labels_join_and_one_untrusted_source_taints_the_whole():
    owner = Labelled(value="a", origins=frozenset({Origin.owner("telegram:42")}))
    mail = Labelled(value="b", origins=frozenset({Origin(trust=Trust.UNTRUSTED, source="mail:1")}))
    both: Labelled[object] = Labelled(value="ab", origins=owner.origins | mail.origins)
    assert (owner.tainted, owner.from_owner) == (False, True)
    assert (both.tainted, both.from_owner) == (True, False)
    assert Labelled(value="?", origins=frozenset()).tainted


def test_now_is_aware():
    assert utcnow().tzinfo is UTC
