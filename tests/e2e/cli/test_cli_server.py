"""`toolgate up`, `token mint` and the REST surface together: what the announcement says works."""

import json
import re
import signal
import socket
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import msgspec

from toolgate.envelopes.summaries import InvocationSummary


def test_the_server_answers_the_call_that_it_announces(toolgate: Any, data_dir: Path, tmp_path: Path) -> None:
    place = ("--data-dir", str(data_dir))
    with toolgate.start("up", "--port", "0", *place, cwd=tmp_path) as server:
        announced = "".join(iter(server.stderr.readline, "  Ctrl-C ends it; calls under way get 30 seconds\n"))
        url = re.findall(r"toolgate is up at (\S+)", announced)[0]
        mint = re.findall(r"\$\(toolgate (.+?)\)", announced)[0].split()
        token = toolgate(*mint, cwd=tmp_path).out.strip()
        body = re.findall(r"-d '(.+)'", announced)[0]
        headers = {"content-type": "application/json", "authorization": f"Bearer {token}"}
        with urlopen(Request(f"{url}/v1/invocations", body.encode(), headers), timeout=10) as response:
            answer = json.load(response)
        assert answer["result"] == "hello"
        assert str(data_dir / "operator.key") in announced
        shown = toolgate("inv", "show", answer["invocation_id"], "--json", *place, cwd=tmp_path)
        assert shown.data["result"] == "hello"
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (130, "")
    assert "Traceback" not in err


def test_an_address_in_use_ends_in_a_complaint(run: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = run("up", "--port", str(taken.getsockname()[1]))
    assert ended.code == 8
    assert "Address already in use" in ended.err
    assert "toolgate up --host 127.0.0.1 --port 0" in ended.err


def test_a_token_is_all_that_stdout_gets_and_json_tells_its_end(run: Any) -> None:
    words = ("token", "mint", "--tool", "http.get", "--agent", "did:x:a", "--tenant", "t", "--host", "example.com")
    plain = run(*words, "--port", "443")
    assert plain.code == 0
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+\n", plain.out)
    described = run(*words, "--lifetime", "1h", "--json").data
    assert described.keys() == {"token", "expires_at", "jti"}
    assert described["expires_at"].endswith("Z")


def test_the_history_has_the_same_names_on_the_command_line_and_over_rest(run: Any) -> None:
    run("call", "echo", "text=x")
    (line,) = run("inv", "ls", "--json").data
    assert msgspec.convert(line, InvocationSummary).tool_id == "echo"
    assert list(line) == list(InvocationSummary.__struct_fields__)
