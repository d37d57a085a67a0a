"""Record token similarity matrices of networks over one frozen encoder, for a few pairs."""

from pathlib import Path

from semblance.data import rows
from semblance.device import place
from semblance.files import write_json
from semblance.job import job
from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder
from semblance.models.siamese_3d.similarity import compared, most_like
from semblance.specs.computing import Computing
from semblance.specs.run import ModelSpec
from semblance.specs.typed import typed

with job(snakemake):
    params = snakemake.params
    encoder = Encoder(Path(snakemake.input.encoder), place(Computing(**params.computing)))
    specs = {Path(folder): typed(ModelSpec, spec) for folder, spec in params.models.items()}
    models = [Model.open(spec, folder, encoder) for folder, spec in specs.items()]
    pairs = rows.read(Path(params.data))
    length = next(iter(specs.values())).max_length
    places = [most_like(pairs, text) for text in params.pairs]
    write_json(snakemake.output[0], [compared(models, encoder, pairs, place, length) for place in places])
