"""Run the fusion study: ``python benchmarks/fusion_study --data DIR --vectors DIR``."""

import os
import sys
from pathlib import Path

# One process per core is enough; set before NumPy is imported, here and in the processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# The modules are a package; without this its folder would stand first on the path.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from fusion_study.study import main  # noqa: E402

if __name__ == "__main__":
    main()
