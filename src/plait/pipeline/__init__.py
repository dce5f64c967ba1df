"""The RAG service: plan, retrieve, rerank, assemble, with a trace of every step."""
