"""What a tool does to the world, and which calls may therefore be repeated (envelope specification, `spec` §3)."""

from enum import StrEnum


class Effect(StrEnum):
    """The effect levels. Whatever does not say is taken for a write that must not be repeated."""

    PURE = "pure"
    IDEMPOTENT_WRITE = "idempotent_write"
    NON_IDEMPOTENT_WRITE = "non_idempotent_write"
    EXTERNAL_SIDE_EFFECTS = "external_side_effects"

    def allows_repeat(self, *, has_idempotency_key: bool) -> bool:
        """A pure call has nothing to repeat; an idempotent write may be repeated under its key."""
        return self is Effect.PURE or (self is Effect.IDEMPOTENT_WRITE and has_idempotency_key)
