"""Run the study: ``python benchmarks/rivals --work DIR --environments DIR --vectors DIR``."""

import sys
from pathlib import Path

# The modules are a package; without this its folder would stand first on the path.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from rivals.study import main  # noqa: E402

if __name__ == "__main__":
    main()
