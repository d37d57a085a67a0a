"""A hub on this machine: the few endpoints of huggingface.co that the real clients ask, over folders of a test's.

Repositories lie under a root as ``models/{owner}/{name}`` and ``datasets/{owner}/{name}``, each at one revision.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


class LoopbackHub(ThreadingHTTPServer):
    """Serves `root` on a free loopback port; `requests` lists what was asked."""

    def __init__(self, root: Path, revision: str):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root, self.revision, self.requests = root, revision, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.server.requests.append(f"{self.command} {path}")
        api = re.fullmatch(
            r"/api/(models|datasets)/([^/]+/[^/]+)(?:/(revision|tree|paths-info)/([^/]+)(?:/(.*))?)?", path
        )
        file = re.fullmatch(r"/(datasets/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        if api and self._revision_is_ours(api[4]):
            self._describe(self.server.root / api[1] / api[2], api[2], api[3], api[5] or "")
        elif file and self._revision_is_ours(file[3]):
            self._send_file(self.server.root / (file[1] or "models") / file[2] / file[4])
        else:
            self._send(404, {"error": "not found"}, {"X-Error-Code": "RevisionNotFound"})

    def _revision_is_ours(self, revision: str | None) -> bool:
        return revision in (None, self.server.revision)

    def _describe(self, repo: Path, name: str, what: str | None, folder: str) -> None:
        files = sorted(p for p in repo.rglob("*") if p.is_file())
        if not files:
            self._send(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        elif what == "tree":
            self._send(200, [_entry(f, repo) for f in files if str(f.relative_to(repo)).startswith(folder)])
        elif what == "paths-info":
            asked = re.findall(rb"[\w./-]+", self.body)
            self._send(200, [_entry(f, repo) for f in files if str(f.relative_to(repo)).encode() in asked])
        else:
            siblings = [{"rfilename": str(f.relative_to(repo))} for f in files]
            self._send(
                200, {"id": name, "sha": self.server.revision, "siblings": siblings, "tags": [], "private": False}
            )

    def _send_file(self, path: Path) -> None:
        if not path.is_file():
            self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
            return
        content = path.read_bytes()
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        self._send(200, content, {"ETag": etag, "X-Repo-Commit": self.server.revision, "Accept-Ranges": "bytes"})

    def _send(self, status: int, content: object, headers: dict | None = None) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        kind = "application/octet-stream" if isinstance(content, bytes) else "application/json"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _entry(file: Path, repo: Path) -> dict:
    content = file.read_bytes()
    oid = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return {"type": "file", "path": str(file.relative_to(repo)), "size": len(content), "oid": oid}
