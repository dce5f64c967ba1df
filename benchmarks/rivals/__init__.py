"""plait beside other libraries: each in a process and an environment of its own, taking turns.

``making`` makes the corpora, ``corpus`` reads one, ``vectors`` and ``truth`` say what the best
answers are. ``worker`` is the process of one system, ``systems`` has an adapter for each,
``running`` starts the workers and lets them take turns. ``sections`` has one module per part of the
study, ``targets`` what is aimed at, ``page`` the part of docs/benchmarks.md.
"""
