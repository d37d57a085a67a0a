# semblance: five sentence-similarity papers, from data to every table and figure.
# `snakemake --cores all` runs what config/config.yaml says; README.md has the rest.
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


report: "resources/report/workflow.rst"


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/encoders.smk"
include: "rules/train.smk"
include: "rules/predict.smk"
include: "rules/side_by_side.smk"
include: "rules/report.smk"


rule all:
    default_target: True
    input:
        f"{STREET.results}/report.html",
        f"{STREET.results}/results.json",
