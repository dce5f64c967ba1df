"""The loops that decide how fast a query is: compiled where they can be, in NumPy everywhere.

Each module here is one topic: functions on arrays, whose docstrings give shapes and dtypes. A
function runs the compiled loop if there is one and its twin in ``plait.kernels.reference``
otherwise. The two give the same bits, so which one runs decides nothing but the time.
"""
