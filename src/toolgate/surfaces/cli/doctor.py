"""`toolgate doctor`: does everything work here, and if not, what mends it?"""

from dataclasses import asdict

import typer

from toolgate.surfaces.cli.checks import Finding, examine
from toolgate.surfaces.cli.exit_codes import ExitCode
from toolgate.surfaces.cli.output import Output, open_output, say
from toolgate.surfaces.cli.session import Session
from toolgate.surfaces.cli.terminal import one_line

EPILOG = "\b\nExamples:\n  toolgate doctor\n  toolgate doctor --data-dir /var/lib/toolgate --json"


def doctor(context: typer.Context) -> None:
    """Check the installation: settings, keys, store, disk, runners. Exit code 1 if something fails."""
    session = Session.of(context)
    with open_output(as_json=session.as_json) as output:
        findings = session.run(_examine(session))
        _print(output, findings)
    failures = sum(finding.level == "fail" for finding in findings)
    if failures:
        say(f"{failures} of {len(findings)} checks failed", "red")
        raise typer.Exit(ExitCode.TOOL_ERROR)
    say("everything that a call needs is in order", "green")


async def _examine(session: Session) -> list[Finding]:
    return [finding async for finding in examine(session)]


def _print(output: Output, findings: list[Finding]) -> None:
    if output.as_json:
        output.json([asdict(finding) for finding in findings])
        return
    width = max(len(finding.check) for finding in findings)
    for finding in findings:
        output.text(f"{finding.level:<4}  {finding.check:<{width}}  {one_line(finding.detail)}")
        if finding.mend:
            output.text(f"{'':<4}  {'':<{width}}  → {one_line(finding.mend)}")
