"""`python -m toolgate` is `toolgate`."""

from toolgate.surfaces.cli import main

if __name__ == "__main__":
    main()
