"""The words of docs/fusion-study.md; its figures come from the results."""

INTRODUCTION = """\
# Fusion: a study
"""
NOTES = {
    "collections": "\n## What was measured\n",
    "methods": "\n## Methods\n",
    "auto": "\n## auto\n",
    "constants": "\n### Constants\n",
    "loss": "\n### Against the better leg\n",
    "windows": "\n## Windows\n",
    "weights": "\n## Weights\n",
    "hurts": "\n## Where fusion hurts\n",
    "tables": "# Fusion: all results\n",
}
LIMITS = "\n## What fell short\n"
