"""Planning: from one question to the variants that are searched."""
