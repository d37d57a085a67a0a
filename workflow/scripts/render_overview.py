"""Draw all claims and all published scores as SVG and PNG."""

from semblance.files import read_json
from semblance.job import job
from semblance.reporting.figures import overview, save

with job(snakemake):
    made, claims, tables = snakemake.output, *(list(map(read_json, snakemake.input[k])) for k in ("claims", "tables"))
    save(lambda: overview.forest(claims), made.claims_svg, made.claims_png)
    save(lambda: overview.scatter(tables), made.numbers_svg, made.numbers_png)
