"""Local models: their files found, loaded once for each process, and run safely.

``loading`` knows packages and files, ``native`` the end of the process, ``onnx_files`` how an ONNX
model is opened, ``parallel`` how many inputs are run at once.
"""

from plait.inference.loading import OncePerProcess, PackagedFiles, digest, require
from plait.inference.native import NativeCalls, native_call
from plait.inference.onnx_files import model_files, open_onnx
from plait.inference.parallel import cores, side_by_side

__all__ = [
    "NativeCalls",
    "OncePerProcess",
    "PackagedFiles",
    "cores",
    "digest",
    "model_files",
    "native_call",
    "open_onnx",
    "require",
    "side_by_side",
]
