"""All tables in LaTeX compile."""

import shutil
import subprocess

import pytest


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here: apt-get install texlive-latex-recommended")
def test_every_table_compiles_with_booktabs(finished, tmp_path):
    tables = sorted((finished.path / "results/tiny/tables").glob("*.tex"))
    inputs = "\n".join(f"\\input{{{table}}}\\clearpage" for table in tables)
    packages = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
    (tmp_path / "all.tex").write_text(f"{packages}\n\\begin{{document}}\n{inputs}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert len(tables) > 50 and (tmp_path / "all.pdf").stat().st_size > 10_000
