"""Compile plait's loops into the wheel, or leave them out where there is no C compiler."""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "scripts"))
from compile_kernels import TARGET, compile_kernels


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """A wheel with the library is for one platform and every Python; one without is for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files are collected; in place for an editable install."""
        if self.target_name != "wheel":
            return
        if version == "editable":
            self._compile(TARGET)
            return
        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name) / TARGET.name
        if self._compile(target):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
            build_data["force_include"][str(target)] = f"plait/kernels/{TARGET.name}"

    def finalize(
        self,
        version: str,
        build_data: dict[str, Any],  # noqa: ARG002 (hatchling's signature)
        artifact_path: str,  # noqa: ARG002
    ) -> None:
        """Remove what went into the wheel."""
        if self.target_name == "wheel" and version != "editable":
            self._folder.cleanup()

    def _compile(self, target: Path) -> bool:
        worked, said = compile_kernels(target)
        (self.app.display_info if worked else self.app.display_warning)(said)
        return worked
