"""The result-record specification names agents and users by GUID, the layer by DID: one derivation, here."""

import uuid
from functools import lru_cache


@lru_cache(maxsize=4096)
def guid_of(did: str) -> str:
    """The GUID that stands for this DID: always the same one, on every instance (UUID version 5)."""
    # uuid5 hashes UTF-8; a DID that is not valid Unicode still gets a GUID of its own.
    return str(uuid.uuid5(uuid.NAMESPACE_URL, did.encode("utf-8", "backslashreplace").decode()))
