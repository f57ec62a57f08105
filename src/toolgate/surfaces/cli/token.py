"""`toolgate token`: capability tokens, signed with the local key."""

from base64 import urlsafe_b64decode
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgate.errors import MisuseError
from toolgate.surfaces.cli.complaint import usage_error
from toolgate.surfaces.cli.duration import parse_seconds
from toolgate.surfaces.cli.output import open_output, say
from toolgate.surfaces.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(help="Make capability tokens.", rich_markup_mode=None, no_args_is_help=True)

_EPILOG = """
\b
Examples:
  toolgate token mint --tool echo --agent did:example:a1 --tenant acme
  toolgate token mint --tool http.get --agent did:example:a1 --tenant acme --host example.com --lifetime 1h
"""


@app.callback()
def token() -> None:
    """Make capability tokens."""


@app.command("mint", epilog=_EPILOG)
def mint(
    context: typer.Context,
    tool_id: Annotated[str, typer.Option("--tool", metavar="ID", help="The one tool that the token is for.")],
    agent_did: Annotated[str, typer.Option("--agent", metavar="DID", help="The agent that may use it.")],
    tenant_id: Annotated[str, typer.Option("--tenant", metavar="T", help="The agent's tenant.")],
    version_range: Annotated[str, typer.Option(metavar="RANGE", help="Versions of the tool.")] = "*",
    lifetime: Annotated[str, typer.Option(metavar="TIME", help="How long it is good for, 24h at most.")] = "15m",
    hosts: Annotated[
        list[str] | None, typer.Option("--host", metavar="HOST", help="A host the call may reach. May repeat.")
    ] = None,
    ports: Annotated[
        list[int] | None, typer.Option("--port", min=1, max=65_535, help="A port it may reach. May repeat.")
    ] = None,
) -> None:
    """Print a token that lets one agent run one tool. Whoever holds it can: treat it like a password."""
    session = Session.of(context)
    seconds = int(parse_seconds(lifetime, option="--lifetime"))
    with open_output(as_json=session.as_json) as output:
        text = session.run(
            _mint(
                session,
                tool_id,
                agent_did=agent_did,
                tenant_id=tenant_id,
                tool_version=version_range,
                lifetime_seconds=seconds,
                allowed_hosts=hosts or (),
                allowed_ports=ports or (),
            )
        )
        minted = _describe(text)
        if session.as_json:
            output.json(minted)
            return
        output.text(text)
        say(f"good until {minted['expires_at']} for {tool_id}, jti {minted['jti']}", "dim")


async def _mint(session: Session, tool_id: str, **claims: "str | int | Sequence[str] | Sequence[int]") -> str:
    async with session.gate() as gate:
        mint: Any = gate.parts.issuer.mint
        try:
            return mint(tool_id, **claims)
        except MisuseError as error:
            raise usage_error(str(error), "toolgate token mint --help") from error


def _describe(token: str) -> dict[str, str]:
    import msgspec

    from toolgate.model.timestamp import rfc3339

    payload = token.split(".")[1]
    claims: dict[str, Any] = msgspec.json.decode(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return {"token": token, "expires_at": rfc3339(claims["exp"]), "jti": claims["jti"]}
