"""Progress of a long run, kept so that it can go on later (layer specification §5.1.4)."""

from typing import Any

import msgspec

from toolgate.model.response import CheckpointType


class CheckpointState(msgspec.Struct, frozen=True, kw_only=True):
    progress_percent: int = 0
    current_phase: str | None = None
    counters: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    custom_state: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    checkpoint_id: str
    invocation_id: str
    checkpoint_type: CheckpointType
    state: CheckpointState
    created_at: str
    schema_version: str = "1.0"
    checkpoint_label: str | None = None
    parent_checkpoint_id: str | None = None
    document_versions: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    expires_at: str | None = None
