"""Secryst Desktop: the reading of a text, from a drafter and a verifier on the user's own CPU."""

__version__ = "0.1.0"
