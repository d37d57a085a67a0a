"""Run scripts in a page in headless Chromium."""

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
    """Return the result of the async function body `script` in a copy of `page`, which is written to `folder`."""
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
    """Return the rules of axe-core that a page violates, each with the first element that does."""
    # Without descriptions of passed rules, which take three quarters of the time on a large page.
    run = "await axe.run({resultTypes: ['violations']})"
    script = f"return ({run}).violations.map(found => `${{found.id}}: ${{found.nodes[0].html}}`);"
    return found_by(script, page, folder, dark=dark, library=AXE.read_text(encoding="utf-8"))
