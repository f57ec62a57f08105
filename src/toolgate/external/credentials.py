"""Credentials with no source: the object behind step 10 until a secret source is configured."""

from collections.abc import Mapping

from toolgate.errors import CredentialNotFound
from toolgate.model.proof import Grant
from toolgate.model.tool import Tool

_NONE: Mapping[str, str] = {}


class NoCredentials:
    """Implements `Credentials`. Fails closed: a call that was granted a credential does not run without it."""

    async def issue(self, tool: Tool, grant: Grant) -> Mapping[str, str]:
        if grant.credentials:
            raise CredentialNotFound(credential=grant.credentials[0])
        return _NONE
