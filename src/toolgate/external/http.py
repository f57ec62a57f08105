"""Plain HTTP reads for tools, to granted hosts only.

A name is resolved once, the address is checked and that very address is dialled, so that a host cannot answer the
check with one address and the connection with another.
"""

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING, NamedTuple, TypedDict
from urllib.parse import SplitResult, urlsplit

from toolgate.errors import (
    ConnectionTimeout,
    InvalidExternalResponse,
    NetworkDenied,
    OutputTooLarge,
    ToolFailure,
)
from toolgate.model.proof import HostGrant

if TYPE_CHECKING:
    import httpx2

MAX_BODY_BYTES = 1_000_000
_PORTS = {"http": 80, "https": 443}


class HttpAnswer(TypedDict):
    status: int
    content_type: str
    text: str


class Destination(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str


class HttpReader:
    """One client, hence one TLS context, for the life of the gate."""

    def __init__(self) -> None:
        self._client: httpx2.AsyncClient | None = None

    async def get(self, url: str, grant: HostGrant) -> HttpAnswer:
        """Read a URL.

        Raises:
            NetworkDenied: the host is not granted, or it is an inside address that was not granted by name.
            ConnectionTimeout, InvalidExternalResponse, OutputTooLarge
        """
        target = _destination(url)
        if not grant.admits(target.host, target.port):
            raise NetworkDenied(host=target.host, port=target.port)
        address = await _checked_address(target)
        return await self._read(target, address)

    async def _read(self, target: Destination, address: str) -> HttpAnswer:
        import httpx2  # costs 0.2 s, and most processes never read a URL

        client = self._client = self._client or httpx2.AsyncClient(timeout=10, trust_env=False, limits=_no_reuse())
        location = httpx2.URL(scheme=target.scheme, host=address, port=target.port, raw_path=target.path.encode())
        headers = {"host": f"{target.host}:{target.port}", "user-agent": "toolgate"}
        try:
            async with client.stream(
                "GET", location, headers=headers, extensions={"sni_hostname": target.host}
            ) as response:
                return await _answer(response)
        except httpx2.DecodingError as error:
            raise InvalidExternalResponse(service=target.host) from error
        except httpx2.TransportError as error:
            raise ConnectionTimeout(service=target.host) from error

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def _no_reuse() -> "httpx2.Limits":
    """Connections are pooled by address here, and two hosts may share one: B must not ride on A's certificate."""
    import httpx2

    return httpx2.Limits(max_keepalive_connections=0)


async def _answer(response: "httpx2.Response") -> HttpAnswer:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise OutputTooLarge(reason=f"the answer has more than {MAX_BODY_BYTES} bytes")
    text = bytes(body).decode(response.encoding or "utf-8", errors="replace")
    return HttpAnswer(status=response.status_code, content_type=response.headers.get("content-type", ""), text=text)


def _destination(url: str) -> Destination:
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ToolFailure("the URL cannot be read") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ToolFailure("the URL must begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise ToolFailure("the URL must not carry credentials")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or not parts.hostname.isascii():
        raise ToolFailure("the URL must be percent-encoded")
    return Destination(parts.scheme, parts.hostname.rstrip("."), port or _PORTS[parts.scheme], path)


async def _checked_address(target: Destination) -> str:
    if _is_address(target.host):
        return target.host  # granted literally, so the operator meant this address
    try:
        found = await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ConnectionTimeout(service=target.host) from error
    addresses = [str(entry[4][0]) for entry in found]
    if not addresses or not all(ipaddress.ip_address(address.partition("%")[0]).is_global for address in addresses):
        raise NetworkDenied(host=target.host, port=target.port)
    return addresses[0]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
