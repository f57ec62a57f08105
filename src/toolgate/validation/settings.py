"""The `[parameters]` and `[result_validator]` sections (layer specification §3.3.6)."""

import msgspec


class ParameterSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_parameters_bytes: int = 4 * 1024 * 1024


class ResultValidatorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_output_bytes: int = 10 * 1024 * 1024
