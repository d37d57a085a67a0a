"""A real Chromium that opens a page, runs a script in it, and says what the script found."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import axe_core_python
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
FLAGS += ("--disable-background-networking", "--disable-component-update", "--hide-scrollbars")

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")


def found_by(script: str, page: Path, folder: Path, width: int = 1200, dark: bool = False, library: str = ""):
    """What an async function body `script` returns in the `page`, by way of a copy of it in `folder`."""
    asked = (
        f"<script>{library}</script><script>(async () => {{ {script} }})().then(found => {{"
        " document.body.dataset.found = JSON.stringify(found); })"
        ".catch(problem => { document.body.dataset.found = JSON.stringify(String(problem)); });</script>"
    )
    copy = folder / "asked.html"
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{asked}</body>"), encoding="utf-8")
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900"]
    command += ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
    command += ["--virtual-time-budget=30000", "--dump-dom", copy.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True).stdout
    found = re.search(r'data-found="([^"]*)"', dumped)
    assert found, f"the script did not end in {page}"
    return json.loads(html.unescape(found[1]))


def accessibility_problems(page: Path, folder: Path, dark: bool = False) -> list[str]:
    """What axe-core finds wrong with the page: each rule, and the first thing that breaks it."""
    # What passes is not described, which takes three quarters of the time on a large page.
    run = "await axe.run({resultTypes: ['violations']})"
    script = f"return ({run}).violations.map(found => `${{found.id}}: ${{found.nodes[0].html}}`);"
    return found_by(script, page, folder, dark=dark, library=AXE.read_text(encoding="utf-8"))
