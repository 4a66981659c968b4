"""An experiment-tracking harness for retriever ablations.

Importing this package loads nothing heavy; each room loads its libraries when they are used.
"""

__version__ = "0.1.0"
