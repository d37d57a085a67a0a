"""Record token similarity matrices of networks over one frozen encoder, for a few pairs."""

from pathlib import Path

from semblance.data import rows
from semblance.files import write_json
from semblance.job import job
from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder
from semblance.models.siamese_3d.similarity import compared, most_like
from semblance.training.device import place

with job(snakemake):
    encoder = Encoder(Path(snakemake.input.encoder), place(snakemake.params.computing))
    folders = map(Path, snakemake.input.models)
    models = [Model.open(spec, folder, encoder) for spec, folder in zip(snakemake.params.specs, folders, strict=True)]
    pairs = rows.read(Path(snakemake.input.data))
    length = snakemake.params.specs[0]["max_length"]
    places = [most_like(pairs, text) for text in snakemake.params.pairs]
    write_json(snakemake.output[0], [compared(models, encoder, pairs, place, length) for place in places])
