"""The `toolgate` command."""
