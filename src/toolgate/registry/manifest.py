"""Rules of a manifest that its types cannot say (layer specification §5.2.1)."""

import re

from toolgate.errors import FieldError
from toolgate.model.manifest import TOOL_ID_PATTERN, VERSION_PATTERN, Manifest

_TOOL_ID = re.compile(TOOL_ID_PATTERN)
_VERSION = re.compile(VERSION_PATTERN)


def identity_faults(manifest: Manifest) -> list[FieldError]:
    """Every fault of a manifest's id, version and limits, with its pointer."""
    faults: list[FieldError] = []
    if not _TOOL_ID.fullmatch(manifest.tool_id) or "::" in manifest.tool_id:
        faults.append(FieldError("/tool_id", "must be 1 to 255 letters, digits or _ . : / -", "InvalidFormat"))
    if not _VERSION.fullmatch(manifest.version) or len(manifest.version) > 50:
        faults.append(FieldError("/version", "must be a semantic version such as 1.2.0", "InvalidFormat"))
    if not manifest.tool_name.strip():
        faults.append(FieldError("/tool_name", "must not be empty", "RequiredMissing"))
    for name in ("default_timeout_seconds", "default_cpu_millicore_limit", "default_memory_mb_limit"):
        if getattr(manifest.execution_config, name) <= 0:
            faults.append(FieldError(f"/execution_config/{name}", "must be greater than 0", "InvalidFormat"))
    return faults
