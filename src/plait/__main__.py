"""``python -m plait`` is ``plait``."""

from __future__ import annotations

import sys

from plait.cli import main

if __name__ == "__main__":
    sys.exit(main())
