"""Run the command line as ``python -m skfair_ofi``."""

import sys

from skfair_ofi.cli import main

if __name__ == "__main__":
    sys.exit(main())
