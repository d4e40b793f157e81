"""Boosters of XGBoost and LightGBM as documents that pgfit.import_model reads."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def booster_document(model: Any, features: Sequence[str] | None) -> tuple[bytes, dict[str, Any]]:
    """Returns the document of a booster, or of a class with scikit-learn's interface, and the options of its import."""
    options: dict[str, Any] = {} if features is None else {"features": list(features)}
    labels = model.__dict__.get("classes_", model.__dict__.get("_classes"))
    if labels is not None and list(labels) != list(range(len(labels))):
        options["classes"] = [str(label) for label in labels]
    if type(model).__module__.partition(".")[0] == "lightgbm":
        return str(getattr(model, "booster_", model).model_to_string()).encode(), options
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(path)
        return path.read_bytes(), options
