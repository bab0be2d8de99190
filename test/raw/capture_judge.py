#!/usr/bin/env python3
"""Replays recorded exchanges with Apache 5.5.0 against a server and compares the answers.

    capture_judge.py [--show]                       replay captures/*.jsonl against the server servers.py gives
    capture_judge.py --select RECORDING --out FILE  keep the lines of a recording that the server under test reproduces
                                                    (with RAW_PEER=apache: the lines that stand on their own)

Compared are the code, the set of header fields, the shape of the remark and the members of a JSON body; values are not.
Each line of captures/*.jsonl holds scenario, case, server (broker or namesrv), code, the request as sent and of the answer
what is compared. Lines of one case share a connection, in order.
"""

import argparse
import base64
import json
import pathlib
import re
import sys

import servers
from case import SEND_MARKS
from fastjson import loads
from remoting_client import BINARY, Closed, Command, Timeout

CAPTURES = pathlib.Path(__file__).resolve().parent / "captures"
NAMESRV_CODES = {100, 101, 102, 103, 104, 105, 106, 205, 206, 216, 217, 219, 224, 304, 311, 312, 313, 318, 319, 322, 327, 901,
                 904}
BROKER_CODES = {10, 310, 320, 11, 361, 34, 35, 38, 41, 42, 46, 14, 15, 29, 30, 31, 32, 33, 17, 18, 21, 200, 201, 207, 215, 225,
                351, 352}
# Recorded cases that need more than the server has yet, or another server than a fresh one.
NOT_YET = re.compile(r"sql|type unknown|unknown type|delay|timer|send tx|vip|reset|forbid|(ro|wo) broker|order ro|off$|new (topic|group)|"
                     r"live|read a value|hb suspend|suspend then|suspend expires|hb pull|4MB|after$|page|split|exactly max|max\+1|103 slave", re.I)
PULL_CODES = (11, 361)

# Case → what we answer instead, and why. A code of None: any but 0.
DIFFERENT = {
    "103 compressed flag false but zlib": (0, "5.x brokers with compressedRegister leave the flag false; zlib shows itself"),
    "batch garbage": (13, "a broken batch is the sender's fault: 13 is not sent to another broker again, 1 is"),
    "hb unquoted names": (0, "servers up to 4.9.5 accept unquoted names; so do we"),
}


def base_case(line):
    """The name that lines of one connection share."""
    return re.sub(r"( \(before\)| \[\d+\])$", "", line["case"] or "")


# ------------------------------------------------------------------------------------------------ selecting

def in_scope(line):
    request, answer = line.get("request"), line.get("response")
    if line["dir"] != "to_server" or not request or not answer or line.get("oneway"):
        return False
    where = line["server"].split("-")[0]
    known = NAMESRV_CODES if where == "namesrv" else BROKER_CODES
    if "vip" in line["server"] or line["code"] not in known | {9999, -5, 13, 22, 47}:
        return False
    return not request.get("cut") and not NOT_YET.search(line.get("case") or "") and isinstance(
        request.get("extFields") or {}, dict)


def trimmed(line):
    """The part of a recorded line that a replay needs."""
    request, answer = line["request"], line["response"]
    kept = {key: request[key] for key in ("version", "language", "serializeType", "extFields", "body", "bodyBase64")
            if key in request}
    wanted = {key: answer[key] for key in ("code", "remark") if key in answer}
    wanted["fields"] = sorted(answer.get("extFields") or {})
    members = body_members(answer.get("body"))
    if members is not None and not answer.get("cut"):
        wanted["members"] = members
    return {"scenario": line["scenario"], "case": line.get("case") or line["code_name"], "server": line["server"].split("-")[0],
            "code": line["code"], "request": kept, "answer": wanted}


# ------------------------------------------------------------------------------------------------ replaying

def request_of(line, server):
    """The command, with the addresses of the recording replaced by those of the server."""
    request = line["request"]
    fields = request.get("extFields")
    if fields is not None:
        fields = {key: place(value, line, server) for key, value in fields.items()}
    body = base64.b64decode(request["bodyBase64"]) if "bodyBase64" in request else (request.get("body") or "").encode()
    return Command(line["code"], fields, body, version=request.get("version", 513),
                   language=request.get("language") or "JAVA")


def place(value, line, server):
    """In registrations a made-up broker stands in for the recorded one; else the recorded one is ours."""
    if not isinstance(value, str):
        return value
    if line["scenario"] == "registration" and line["server"] == "namesrv":
        return {"broker-a": "captured-a", "DefaultCluster": "CapturedCluster"}.get(value, value)
    return value.replace("127.0.0.1:49911", "%s:%d" % server.address)


def body_members(body):
    """Names of the members of a JSON object, None for other bodies."""
    try:
        value = loads(body) if body else None
    except (ValueError, IndexError):
        return None
    return sorted(value) if isinstance(value, dict) else None


def shape(remark):
    """What must be recognisable of a remark: its head in lower case, numbers masked. Java exceptions are not copied."""
    if not remark or re.match(r"(java|com|org)\.|Cannot invoke", remark):
        return ""
    return re.split(r"[\n,:(\[]", re.sub(r"\d+", "#", remark).lower())[0].strip()


def differences(line, answer):
    """What differs from the recorded answer, as texts."""
    wanted, found = line["answer"], []
    known = None if servers.is_apache() else DIFFERENT.get(line["case"])
    code, reason = known or (wanted["code"], None)
    if answer.code != code and not (code is None and answer.code):
        found.append(f"code {answer.code} ({answer.remark}) instead of {code}")
        return found
    if reason:
        return found
    thrown = wanted["code"] == 1 and not shape(wanted.get("remark"))  # Apache's exceptions carry no fields at all.
    if set(wanted["fields"]) != answer.keys and not (thrown and answer.keys <= SEND_MARKS):
        found.append(f"fields {sorted(answer.keys)} instead of {wanted['fields']}")
    if wanted["code"] or line["code"] in PULL_CODES:
        head = shape(wanted.get("remark"))
        if head not in re.sub(r"\d+", "#", (answer.remark or "").lower()):
            found.append(f"remark {answer.remark!r} instead of {wanted.get('remark')!r}")
        if wanted["code"] and not (answer.remark or "").strip():
            found.append("no remark")
    if "members" in wanted:
        missing = set(wanted["members"]) - set(body_members(answer.body) or ())
        if missing:
            found.append(f"members {sorted(missing)} missing from the body {answer.body[:200]!r}")
    return found


def replay(lines, server):
    """Yields (line, answer or None, differences)."""
    case, connection = None, None
    for line in lines:
        now = (line["server"], line["scenario"], base_case(line))
        if now != case or connection is None:
            if connection:
                connection.close()
            connection = (server.namesrv if line["server"] == "namesrv" else server).connect(timeout=10)
        case = now
        connection.form = BINARY if line["request"].get("serializeType") == BINARY else "JSON"
        try:
            answer = connection.answer(connection.send(request_of(line, server)))
            yield line, answer, differences(line, answer)
        except (Closed, Timeout, OSError, ValueError) as error:
            connection.close()
            connection = None
            yield line, None, [f"{type(error).__name__}: {error}"]
    if connection:
        connection.close()


def captured(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the lines that agree, too")
    parser.add_argument("--select", type=pathlib.Path, metavar="RECORDING")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    server = servers.shared()
    if options.select:
        lines = [trimmed(line) for line in captured(options.select) if in_scope(line)]
    else:
        lines = [line for path in sorted(CAPTURES.glob("*.jsonl")) for line in captured(path)]
    kept = bad = 0
    out = options.out.open("w") if options.out else None
    for line, _, found in replay(lines, server):
        for text in found:
            print(f"{line['server']} {line['code']} {line['case']}: {text}"[:600])
        if options.show and not found:
            print(f"{line['server']} {line['code']} {line['case']}: ok")
        bad += bool(found)
        if out and not found:
            out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
            kept += 1
    print(f"{len(lines) - bad} passed, {bad} failed, 0 skipped")
    sys.exit(1 if bad and not options.select else 0)


if __name__ == "__main__":
    main()
