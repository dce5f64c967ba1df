"""HTTP services: JSON over httpx, with retries and clear errors."""
