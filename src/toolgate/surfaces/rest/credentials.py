"""Who asks? A capability token names an agent; the operator key is its own proof. Nobody else gets an answer."""

from typing import Final

import msgspec
from starlette.requests import Request

from toolgate.app import Parts
from toolgate.engine.lookup import Owner
from toolgate.errors import InvalidToken, MissingClaims, OperationNotAllowed, PermissionDenied
from toolgate.model.names import OPERATION_EXECUTE
from toolgate.permissions.operator_key import PREFIX

_NO_CREDENTIALS: Final = "the request has no credentials; send `Authorization: Bearer …`"


class Caller(msgspec.Struct, frozen=True):
    """An operator, who may read everything, has no owner and no tool; an agent has both."""

    owner: Owner | None = None
    tool_id: str | None = None

    @property
    def is_operator(self) -> bool:
        return self.owner is None


OPERATOR: Final = Caller()


def bearer_of(header: bytes | None) -> str:
    """The credential in an `Authorization` header; empty without a header.

    Raises:
        InvalidToken: it is of another scheme.
    """
    if header is None:
        return ""
    scheme, _, credential = header.partition(b" ")
    if scheme.lower() != b"bearer":
        raise InvalidToken(reason="the Authorization header is not of the form `Bearer …`")
    return credential.strip().decode("latin-1")


async def identify(request: Request, parts: Parts) -> Caller:
    """The caller of a request that reads.

    Raises:
        MissingClaims, InvalidToken, ExpiredToken, RevokedToken: there are no credentials, or none that we believe.
    """
    presented = request.headers.getlist("authorization")
    if len(presented) > 1:
        raise InvalidToken(reason="the request has two Authorization headers")
    credential = bearer_of(presented[0].encode("latin-1")) if presented else ""
    if not credential:
        raise MissingClaims(message=_NO_CREDENTIALS, claims="credentials")
    if parts.operator_key.matches(credential):
        return OPERATOR
    token = await parts.tokens.authenticate(credential)
    return Caller(Owner(token.agent_did, token.tenant_id), token.tool_id)


async def identify_operator(request: Request, parts: Parts) -> None:
    """Let only an operator pass.

    Raises:
        PermissionDenied: it is somebody else.
    """
    caller = await identify(request, parts)
    if not caller.is_operator:
        raise PermissionDenied(message="this needs the operator key")


def refuse_operator_key(credential: str, parts: Parts) -> None:
    """The operator key administers. It is not an agent, so no policy could say what it may run.

    Raises:
        OperationNotAllowed: this is the operator key.
        InvalidToken: it only looks like one.
    """
    if not credential.startswith(PREFIX):
        return
    if not parts.operator_key.matches(credential):
        raise InvalidToken(reason="it is not a capability token")
    raise OperationNotAllowed(
        message="an operator key does not run tools; mint a capability token with `toolgate token mint`",
        operation=OPERATION_EXECUTE,
    )
