"""Services on the network: the one place that speaks HTTP.

``service`` is what the rest of plait calls: JSON in, JSON out. ``exchange`` is one attempt,
``retrying`` says whether another is due, ``client`` keeps the connections, ``endpoint`` the URL and
headers, ``masking`` the secrets out of sight, ``failures`` tells what went wrong.
"""

from plait.http.service import HttpService

__all__ = ["HttpService"]
