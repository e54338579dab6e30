"""The command line, as `python -m wartable`."""

from wartable.cli import main

main()
