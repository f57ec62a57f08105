"""What a runner is given and what it gives back."""

import marshal
from collections.abc import Callable
from typing import Any

import msgspec

from toolgate.model.invocation import Invocation
from toolgate.model.proof import Grant
from toolgate.model.side_effect import SideEffect, SideEffectType


class Usage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Resources of one run, as far as the runner can measure them."""

    cpu_ms: int = 0
    memory_peak_mb: int = 0
    network_bytes_sent: int = 0
    network_bytes_received: int = 0


NO_USAGE = Usage()

MAX_SIDE_EFFECTS = 100
MAX_SIDE_EFFECT_BYTES = 65_536


class RunResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the tool returned, untrusted, and what it used."""

    output: Any
    usage: Usage = NO_USAGE
    side_effects: tuple[SideEffect, ...] = ()
    isolation: str = "none"
    sandbox_id: str | None = None


class ToolContext:
    """What a native tool may ask of the layer. A tool gets one by declaring a parameter of this type."""

    __slots__ = ("_invocation", "_now_text", "grant")

    def __init__(self, *, invocation: Invocation, grant: Grant, now_text: Callable[[], str]) -> None:
        self.grant = grant
        self._invocation = invocation
        self._now_text = now_text

    @property
    def invocation_id(self) -> str:
        return self._invocation.invocation_id

    def side_effect(
        self,
        effect_type: SideEffectType | str,
        resource: str,
        *,
        description: str | None = None,
        previous_value: Any = None,
        new_value: Any = None,
        is_reversible: bool = False,
    ) -> None:
        """Report a change that this call made. It stays on record even if the call fails afterwards.

        Raises:
            ValueError: the effect is no JSON, too large, or one too many.
        """
        _check_effect(resource, description, previous_value, new_value)
        if len(self._invocation.side_effects) >= MAX_SIDE_EFFECTS:
            raise ValueError(f"a call can report at most {MAX_SIDE_EFFECTS} side effects")
        self._invocation.side_effects.append(
            SideEffect(
                type=SideEffectType(effect_type),
                resource=resource,
                timestamp=self._now_text(),
                description=description,
                previous_value=previous_value,
                new_value=new_value,
                is_reversible=is_reversible,
            )
        )


def _check_effect(resource: str, *values: Any) -> None:
    """marshal proves that a value consists of built-in types and runs no code of it, unlike the JSON encoders."""
    try:
        marshal.dumps(values)
        size = len(msgspec.json.encode((resource, values)))
    except (TypeError, ValueError, RecursionError):
        raise ValueError("a side effect must be plain JSON") from None
    if size > MAX_SIDE_EFFECT_BYTES:
        raise ValueError(f"a side effect can have at most {MAX_SIDE_EFFECT_BYTES} bytes")
