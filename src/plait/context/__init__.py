"""Context: chunks with numbered citations inside a token budget."""
