"""Never stale, never more than it takes: what an edit makes Snakemake do again, job by job."""

TABLES, FIGURES, LISTS, CLAIMS = 53, 28, 4, 6
EVERYTHING = {"render_report": 1, "export_results": 1}
