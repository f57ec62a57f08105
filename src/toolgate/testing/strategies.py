"""Hypothesis strategies for the model. The only module of the package that needs hypothesis."""

from typing import Any

import msgspec
from hypothesis import strategies as st

from toolgate.errors import Category, FieldError, Kind, ToolgateError, by_number
from toolgate.model.effect import Effect
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome, PolicySnapshot
from toolgate.model.response import CheckpointMetadata, DocumentAccess
from toolgate.model.run import Usage
from toolgate.model.side_effect import SideEffect, SideEffectType
from toolgate.model.status import UNFINISHED
from toolgate.model.timestamp import rfc3339

FINISHED = tuple(kind for kind in Kind if kind not in UNFINISHED)

json_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
)
json_values: st.SearchStrategy[Any] = st.recursive(
    json_scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=12), json_values, max_size=4)

names = st.text(min_size=1, max_size=40)
epochs = st.floats(min_value=0, max_value=4_000_000_000)
counts = st.integers(0, 2**40)


def dids(method: str = "agent") -> st.SearchStrategy[str]:
    return st.text(alphabet="abcdef0123456789", min_size=1, max_size=20).map(lambda tail: f"did:{method}:{tail}")


def timestamps() -> st.SearchStrategy[str]:
    return epochs.map(rfc3339)


def invocations() -> st.SearchStrategy[Invocation]:
    return st.builds(
        Invocation,
        invocation_id=st.uuids().map(str),
        correlation_id=names,
        tool_id=names,
        started_at=epochs,
        requested_version=st.none() | names,
        causation_id=st.none() | names,
        tool_version=st.sampled_from(["", "1.0.0", "2.1.0-rc.1"]),
        origin=st.sampled_from(["local", "mcp::github"]),
        effect=st.sampled_from(Effect),
        agent_did=st.just("") | dids(),
        tenant_id=st.just("") | names,
        user_did=st.none() | dids("user"),
        session_id=st.text(max_size=20),
        idempotency_key=st.none() | names,
        priority=st.sampled_from(["low", "normal", "high"]),
        timeout_seconds=st.floats(0.001, 86_400),
        attempts=st.integers(0, 10),
        parameters=json_objects.map(msgspec.json.encode),
        redactions=st.lists(names, max_size=3).map(tuple),
        notices=st.lists(names, max_size=2),
        headers=st.none() | st.dictionaries(names, names, max_size=2),
        metadata=st.none() | json_objects,
        documents_accessed=st.none() | st.lists(_document_accesses, max_size=2),
        checkpoints_created=st.none() | st.lists(_checkpoints, max_size=2),
    )


def failures() -> st.SearchStrategy[Failure]:
    """Failures as the error classes make them, and as a record or another server might have told them."""
    return errors().map(Failure.of) | st.builds(
        Failure,
        code=names,
        message=st.text(max_size=80),
        category=st.sampled_from(Category).map(str),
        taxonomy_code=names,
        http_status=st.integers(400, 599),
        number=st.none() | st.sampled_from(sorted(by_number())),
        retryable=st.booleans(),
        details=json_objects,
        errors=st.lists(field_errors, max_size=3).map(tuple),
    )


def errors() -> st.SearchStrategy[ToolgateError]:
    """An error of any row, with any facts for its message."""
    return st.sampled_from(sorted(by_number().values(), key=lambda cls: cls.__name__)).flatmap(_raised)


def _raised(cls: type[ToolgateError]) -> st.SearchStrategy[ToolgateError]:
    numbers = st.floats(0, 1e6)
    facts = {
        name: numbers if name.endswith(("_seconds", "_ms")) else names | st.integers()
        for name in sorted(cls.template_facts())
    }
    optional: dict[str, st.SearchStrategy[Any]] = {"retry_after_ms": st.integers(0, 10**6)}
    drawn = st.fixed_dictionaries(facts, optional=optional)

    def make(facts: dict[str, Any], faults: list[FieldError]) -> ToolgateError:
        return cls(errors=faults, **facts)

    return st.builds(make, drawn, st.lists(field_errors, max_size=2))


def outcomes(kinds: st.SearchStrategy[Kind] | None = None) -> st.SearchStrategy[Outcome]:
    """Any outcome, also one whose kind, error and output do not fit each other."""
    return st.builds(
        Outcome,
        invocation=invocations(),
        kind=st.sampled_from(Kind) if kinds is None else kinds,
        completed_at=epochs,
        duration_ms=st.floats(0, 1e9),
        output=json_values,
        output_size_bytes=st.none() | counts,
        output_truncated=st.booleans(),
        error=st.none() | failures(),
        usage=_usages,
        side_effects=st.lists(_side_effects, max_size=2).map(tuple),
        sandbox_id=st.none() | names,
        policy_snapshot=st.none() | _policy_snapshots,
    )


field_errors = st.builds(
    FieldError, pointer=names, message=names, code=st.sampled_from(["InvalidType", "SchemaInvalid"])
)
_document_accesses = st.builds(DocumentAccess, document_id=names, document_version=names, access_count=counts)
_checkpoints = st.builds(
    CheckpointMetadata,
    checkpoint_id=st.uuids().map(str),
    checkpoint_type=st.sampled_from(["micro", "macro", "named"]),
    timestamp=timestamps(),
)
_usages = st.builds(
    Usage, cpu_ms=counts, memory_peak_mb=counts, network_bytes_sent=counts, network_bytes_received=counts
)
_side_effects = st.builds(
    SideEffect,
    type=st.sampled_from(SideEffectType),
    resource=names,
    timestamp=timestamps(),
    description=st.none() | names,
    previous_value=json_values,
    new_value=json_values,
    is_reversible=st.booleans(),
)
_policy_snapshots = st.builds(
    PolicySnapshot,
    timeout_seconds=st.floats(0.001, 86_400),
    max_attempts=st.integers(1, 10),
    rate_limit_ids=st.lists(names, max_size=2).map(tuple),
    circuit_state=st.sampled_from(["closed", "open", "half_open", "disabled", "forced_open", "metrics_only"]),
    redactions=st.lists(names, max_size=2).map(tuple),
)
