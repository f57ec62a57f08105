"""One ordinary outcome to render; tests change what they are about."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from toolgate.errors import Kind, ToolgateError
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome

MakeOutcome = Callable[..., Outcome]


@pytest.fixture
def make_outcome() -> MakeOutcome:
    def make(*, error: ToolgateError | None = None, invocation: dict[str, Any] | None = None, **facts: Any) -> Outcome:
        call = Invocation(
            invocation_id="0190b2f0-0000-7000-8000-000000000001",
            correlation_id="c-1",
            tool_id="add",
            tool_version="1.0.0",
            agent_did="did:agent:a",
            started_at=1_763_176_000.0,
            attempts=1,
            parameters=b'{"a":1,"b":2}',
        )
        outcome = Outcome(
            invocation=msgspec.structs.replace(call, **(invocation or {})),
            kind=error.kind if error else Kind.SUCCESS,
            completed_at=1_763_176_001.25,
            duration_ms=1250.0,
            output=None if error else 3,
            error=Failure.of(error) if error else None,
        )
        return msgspec.structs.replace(outcome, **facts)

    return make
