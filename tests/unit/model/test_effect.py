"""Which calls may be repeated (spec README §3, Retry and Effects)."""

import pytest

from toolgate.model.effect import Effect
from toolgate.model.invocation import Invocation


@pytest.mark.parametrize(
    ("effect", "without_key", "with_key"),
    [
        (Effect.PURE, True, True),
        (Effect.IDEMPOTENT_WRITE, False, True),
        (Effect.NON_IDEMPOTENT_WRITE, False, False),
        (Effect.EXTERNAL_SIDE_EFFECTS, False, False),
    ],
)
def test_only_what_does_nothing_twice_may_be_repeated(effect: Effect, without_key: bool, with_key: bool) -> None:
    assert effect.allows_repeat(has_idempotency_key=False) is without_key
    assert effect.allows_repeat(has_idempotency_key=True) is with_key


def test_what_does_not_say_is_taken_for_a_write_that_must_not_be_repeated() -> None:
    call = Invocation(invocation_id="i", correlation_id="c", tool_id="t", started_at=0.0)
    assert call.effect is Effect.NON_IDEMPOTENT_WRITE
