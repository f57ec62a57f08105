"""The `outbox` suite, on every store of ours."""

from toolgate.testing.contracts.outbox import *  # noqa: F403
