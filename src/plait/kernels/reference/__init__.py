"""What the compiled loops must equal: the same functions in NumPy, always there."""
