"""A local server with the endpoints of huggingface.co that its clients use.

Repositories are folders ``models/{owner}/{name}`` and ``datasets/{owner}/{name}`` below a root, each with one revision.
Files below ``raw`` are served unchanged.
"""

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit


class LoopbackHub(ThreadingHTTPServer):
    """Serves `root` on a free loopback port.

    Attributes:
        revision: revision of all repositories, or of each by name.
        requests: the requests received.
        torn: names of files; the connection breaks in the middle of the first answer with one of them.
        ranges: resumed downloads, each with the first byte that the client requested.
    """

    def __init__(self, root: Path, revision: str | dict[str, str]):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.root, self.revision, self.requests = root, revision, []
        self.torn: set[str] = set()
        self.ranges: list[str] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def revision_of(self, repository: str) -> str | None:
        return self.revision if isinstance(self.revision, str) else self.revision.get(repository)

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
        if api and api[4] in (None, self.server.revision_of(api[2])):
            self._describe(self.server.root / api[1] / api[2], api[2], api[3], api[5] or "")
        elif file and file[3] == self.server.revision_of(file[2]):
            self._send_file(self.server.root / (file[1] or "models") / file[2] / file[4], file[3])
        elif path.startswith("/raw/"):
            self._send_file(self.server.root / path[1:], "")
        else:
            self._send(404, {"error": "not found"}, {"X-Error-Code": "RevisionNotFound"})

    def _describe(self, repo: Path, name: str, what: str | None, folder: str) -> None:
        files = sorted(p for p in repo.rglob("*") if p.is_file())
        if not files:
            self._send(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
        elif what == "tree" and not (repo / folder).is_dir():
            self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
        elif what == "tree":
            wanted = parse_qs(urlsplit(self.path).query).get("recursive", ["false"])
            found = (repo / folder).rglob("*") if wanted[0].lower() == "true" else (repo / folder).iterdir()
            self._send(200, [_entry(path, repo) for path in sorted(found)])
        elif what == "paths-info":
            asked = re.findall(rb"[\w./-]+", self.body)
            self._send(200, [_entry(f, repo) for f in repo.rglob("*") if str(f.relative_to(repo)).encode() in asked])
        else:
            siblings = [{"rfilename": str(f.relative_to(repo))} for f in files]
            self._send(
                200,
                {"id": name, "sha": self.server.revision_of(name), "siblings": siblings, "tags": [], "private": False},
            )

    def _send_file(self, path: Path, revision: str) -> None:
        if not path.is_file():
            self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
            return
        content = path.read_bytes()
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        headers = {"ETag": etag, "X-Repo-Commit": revision, "Accept-Ranges": "bytes"}
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted:
            start = int(wanted[1])
            self.server.ranges.append(f"{path.name} from {start}")
            span = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._send(206, content[start:], headers | {"Content-Range": span})
        elif path.name in self.server.torn and self.command == "GET":
            self.server.torn.remove(path.name)
            self._send(200, content, headers, sent=len(content) // 2)
        else:
            self._send(200, content, headers)

    def _send(self, status: int, content: object, headers: dict | None = None, sent: int | None = None) -> None:
        """Send an answer, or only its first `sent` bytes and then close the connection."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        kind = "application/octet-stream" if isinstance(content, bytes) else "application/json"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:sent])
        if sent is not None:
            self.close_connection = True


def _entry(file: Path, repo: Path) -> dict:
    if file.is_dir():
        return {"type": "directory", "path": str(file.relative_to(repo)), "size": 0, "oid": "0" * 40}
    content = file.read_bytes()
    oid = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    return {"type": "file", "path": str(file.relative_to(repo)), "size": len(content), "oid": oid}
