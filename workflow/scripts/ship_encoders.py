"""Copy encoders that a preset generated into resources/encoders/.

Usage: python workflow/scripts/ship_encoders.py results/demo bert …

Weights are stored in 16 bits. A file next to them records the recipe and the grammar that made them, so that a test can
check whether both are current.
"""

import shutil
import sys
from pathlib import Path

import yaml
from safetensors.torch import load_file, save_file

from semblance.files import read_json, sha256, write_json
from semblance.paths import GRAMMAR, ROOT, SHIPPED
from semblance.provenance import installed


def ship(results: Path, name: str) -> None:
    made, folder = results / "encoders" / name / "model", ROOT / "resources" / "encoders" / name
    if read_json(made.parent / "facts.json")["source"] != "generated":
        raise SystemExit(f"semblance: {made} was not generated: run with encoder_source=generated first")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns(".*"))
    weights = load_file(made / "model.safetensors")
    save_file({key: tensor.half() for key, tensor in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    recipe = yaml.safe_load((ROOT / "config" / "encoders.yaml").read_text(encoding="utf-8"))[name]["generated"]
    made_by = {"recipe": recipe, "grammar_sha256": sha256(GRAMMAR), "versions": installed()}
    write_json(folder / SHIPPED, made_by | {"weights_sha256": sha256(folder / "model.safetensors")})


if __name__ == "__main__":
    for encoder in sys.argv[2:]:
        ship(Path(sys.argv[1]), encoder)
