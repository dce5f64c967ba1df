"""plait: hybrid retrieval that weaves rankings together and explains every hit."""
