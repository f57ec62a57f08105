"""The command line: parses, calls the gate, prints. Everything heavy is imported by the command that needs it."""

import sys


def main() -> None:
    """Run `toolgate` with the arguments of this process, and end it with the exit code."""
    try:
        from toolgate.surfaces.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run())
