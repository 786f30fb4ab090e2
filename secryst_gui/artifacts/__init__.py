"""What a model is on disk: IMF v1 zips, what of them is on this machine, and which fit each other.

No Qt and no runtime here. A zip is read in two steps: *listing* reads the manifest only, *opening* checks every
graph against its digest and lays the graphs out as files.
"""

from secryst_gui.artifacts.artifact import Artifact, open_artifact
from secryst_gui.artifacts.manifest import Manifest, Metric
from secryst_gui.artifacts.pairs import drafters_for, fits, fitting
from secryst_gui.artifacts.store import Listing, Store

__all__ = ["Artifact", "Listing", "Manifest", "Metric", "Store", "drafters_for", "fits", "fitting", "open_artifact"]
