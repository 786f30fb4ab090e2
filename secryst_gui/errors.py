"""Every error this program raises on purpose, in one tree.

    SecrystError
    ├── InputError                  a text or file the user handed us cannot be read or written
    ├── HistoryError                the history of translations cannot be read or written
    ├── ArtifactError               a model on disk cannot be used
    │   ├── NotAnArtifactError      not a zip, truncated, a folder, unreadable
    │   ├── UnsafeArtifactError     a zip that would escape its folder, is encrypted, or explodes in size
    │   ├── ManifestError           metadata.yaml cannot be understood
    │   │   ├── WrongFormatError    `format` is not `imf-v1`
    │   │   └── WrongTokenizerError `tokenizer` is not `bytes`
    │   ├── MissingMemberError      a required graph is not in the zip (also: kv declared, graph absent)
    │   ├── UncoveredMemberError    a graph has no digest in the manifest
    │   └── DigestMismatchError     a graph's bytes are not the ones the manifest promises
    ├── StoreError                  installing, finding or removing a model failed
    │   ├── ModelNotFoundError      no cached artifact has that id or path
    │   └── ProtectedModelError     the shipped ladder cannot be removed
    ├── PairError                   that drafter cannot draft for that verifier
    └── EngineError                 a graph opened but cannot be run as the contract says
        ├── GraphError              inputs, outputs or shapes are not those of an IMF graph
        └── DecodeError             the runtime failed while decoding

A message is one line that says what was expected, what was found and what to do next, so that a caller may show
``str(error)`` to a person as it stands.
"""

from __future__ import annotations


class SecrystError(Exception):
    """Base of all errors raised on purpose; ``str(error)`` is one readable line."""


class InputError(SecrystError):
    """A text or file the user handed us cannot be read or written."""


class HistoryError(SecrystError):
    """The history of translations cannot be read or written."""


class ArtifactError(SecrystError):
    """A model on disk cannot be used."""


class NotAnArtifactError(ArtifactError):
    """Not a zip file, a truncated one, a folder, or a file that cannot be read."""


class UnsafeArtifactError(ArtifactError):
    """A zip that would leave its folder, is encrypted, repeats a member, or explodes in size."""


class ManifestError(ArtifactError):
    """``metadata.yaml`` is missing, is not YAML, or holds values of the wrong type."""


class WrongFormatError(ManifestError):
    """``format`` is something else than ``imf-v1``."""


class WrongTokenizerError(ManifestError):
    """``tokenizer`` is something else than ``bytes``."""


class MissingMemberError(ArtifactError):
    """A graph that the contract or the manifest promises is not in the zip."""


class UncoveredMemberError(ArtifactError):
    """A graph in the zip has no digest in the manifest."""


class DigestMismatchError(ArtifactError):
    """A graph's bytes are not the ones the manifest promises."""


class StoreError(SecrystError):
    """Installing, finding or removing a model failed."""


class ModelNotFoundError(StoreError):
    """No cached artifact has that id or path."""


class ProtectedModelError(StoreError):
    """The shipped ladder cannot be removed."""


class PairError(SecrystError):
    """That drafter cannot draft for that verifier."""


class EngineError(SecrystError):
    """A graph opened but cannot be run as the contract says."""


class GraphError(EngineError):
    """Inputs, outputs or shapes are not those of an IMF graph."""


class DecodeError(EngineError):
    """The runtime failed while decoding."""
