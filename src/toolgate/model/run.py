"""What a runner is given and what it gives back."""

from collections.abc import Callable
from typing import Any

import msgspec

from toolgate.model.proof import Grant
from toolgate.model.side_effect import SideEffect, SideEffectType


class Usage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Resources of one run, as far as the runner can measure them."""

    cpu_ms: int = 0
    memory_peak_mb: int = 0
    network_bytes_sent: int = 0
    network_bytes_received: int = 0


NO_USAGE = Usage()


class RunResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the tool returned, untrusted, and what it used."""

    output: Any
    usage: Usage = NO_USAGE
    side_effects: tuple[SideEffect, ...] = ()
    isolation: str = "none"
    sandbox_id: str | None = None


class ToolContext:
    """What a native tool may ask of the layer. A tool gets one by declaring a parameter of this type."""

    __slots__ = ("_now_text", "_side_effects", "grant", "invocation_id")

    def __init__(self, *, invocation_id: str, grant: Grant, now_text: Callable[[], str]) -> None:
        self.invocation_id = invocation_id
        self.grant = grant
        self._now_text = now_text
        self._side_effects: list[SideEffect] = []

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
        """Report a change that this call made."""
        self._side_effects.append(
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

    @property
    def side_effects(self) -> tuple[SideEffect, ...]:
        return tuple(self._side_effects)
