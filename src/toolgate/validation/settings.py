"""The `[parameters]` and `[result_validator]` sections (layer specification §3.3.6)."""

from typing import Annotated

import msgspec

ByteLimit = Annotated[int, msgspec.Meta(ge=1024, le=100 * 1024 * 1024)]
"""One kilobyte to a hundred megabytes."""

MAX_PARAMETERS_BYTES = 4 * 1024 * 1024
MAX_OUTPUT_BYTES = 10 * 1024 * 1024


class ParameterSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_parameters_bytes: ByteLimit = MAX_PARAMETERS_BYTES


class ResultValidatorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_output_bytes: ByteLimit = MAX_OUTPUT_BYTES
