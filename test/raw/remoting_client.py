"""A hand-written RocketMQ remoting client: frames, both header forms, one-way, callbacks.

It says exactly what a test tells it to say, wrong things included, and hides nothing of the answer. One thread uses a
Connection at a time.

    0        4                 8               8 + n
    | length | type, n (24 bit) | header, n bytes | body |      big-endian; length counts all after itself
"""

import itertools
import json
import select
import socket
import struct
import time

JSON, BINARY = "JSON", "ROCKETMQ"
RESPONSE, ONEWAY = 1, 2
LANGUAGES = ["JAVA", "CPP", "DOTNET", "PYTHON", "DELPHI", "ERLANG", "RUBY", "OTHER", "HTTP", "GO", "PHP", "OMS", "RUST",
             "NODE_JS"]
VERSION = 513  # 5.5.0
FRAME_MAX = 16 * 1024 * 1024

_opaques = itertools.count(1)


class Closed(Exception):
    """The server closed the connection."""


class Timeout(Exception):
    """No frame arrived in time."""


class Command:
    """One request or answer."""

    def __init__(self, code, ext=None, body=b"", *, language="JAVA", version=VERSION, opaque=None, flag=0, remark=None):
        self.code, self.ext, self.body = code, ext, body.encode() if isinstance(body, str) else body or b""
        self.language, self.version, self.flag, self.remark = language, version, flag, remark
        self.opaque = next(_opaques) if opaque is None else opaque
        self.form = None    # What the frame used, set by decode().
        self.header = None  # The decoded JSON header as it came.

    @property
    def is_response(self):
        return bool(self.flag & RESPONSE)

    @property
    def keys(self):
        """Names of the header fields; absent and empty count alike."""
        return set(self.ext or {})

    def number(self, name):
        return int(self.ext[name])

    def __repr__(self):
        return f"Command(code={self.code}, remark={self.remark!r}, ext={self.ext}, body={len(self.body)} bytes)"


def frame(header, body=b"", kind=0):
    """A frame of these header bytes, whatever they are."""
    return struct.pack(">iI", 4 + len(header) + len(body), kind << 24 | len(header)) + header + body


def encode_json(command, **overrides):
    """`overrides` replace or add header members; None removes one."""
    header = {"code": command.code, "language": command.language, "version": command.version, "opaque": command.opaque,
              "flag": command.flag, "remark": command.remark, "extFields": command.ext, "serializeTypeCurrentRPC": JSON}
    header.update(overrides)
    header = {name: value for name, value in header.items() if value is not None}
    return frame(json.dumps(header).encode(), command.body)


def encode_binary(command):
    """code i16, language i8, version i16, opaque i32, flag i32, remark, fields; code and version keep their low 16 bits."""
    def text(value):
        raw = value.encode()
        return struct.pack(">i", len(raw)) + raw

    fields = b""
    for name, value in (command.ext or {}).items():
        raw = name.encode()
        fields += struct.pack(">h", len(raw)) + raw + text(str(value))
    language = LANGUAGES.index(command.language) if command.language in LANGUAGES else int(command.language)
    header = struct.pack(">HBHiI", command.code & 0xFFFF, language, command.version & 0xFFFF,
                         command.opaque, command.flag)
    header += text(command.remark or "") + struct.pack(">i", len(fields)) + fields
    return frame(header, command.body, kind=1)


def decode(content):
    """The command in a frame, length field taken off."""
    word, = struct.unpack_from(">I", content)
    kind, size = word >> 24, word & 0xFFFFFF
    if kind > 1 or size > len(content) - 4:
        raise ValueError(f"header word {word:#x} in a frame of {len(content)} bytes")
    header, body = content[4:4 + size], bytes(content[4 + size:])
    command = _decode_json(header, body) if kind == 0 else _decode_binary(header, body)
    command.form = BINARY if kind else JSON
    return command


def _decode_json(header, body):
    member = json.loads(header.decode())  # Strict on purpose: some clients read headers with strict parsers.
    for name, value in (member.get("extFields") or {}).items():
        if not isinstance(value, str):
            raise ValueError(f"header field {name} is not a string: {value!r}")
    command = Command(member["code"], member.get("extFields"), body, language=member.get("language"),
                      version=member.get("version"), opaque=member["opaque"], flag=member["flag"],
                      remark=member.get("remark"))
    command.header = member
    return command


def _decode_binary(header, body):
    code, language, version, opaque, flag = struct.unpack_from(">hBhiI", header)
    at = 13

    def text(width):
        nonlocal at
        size, = struct.unpack_from(">i" if width == 4 else ">h", header, at)
        if size < 0 or at + width + size > len(header):
            raise ValueError(f"a text of {size} bytes does not fit")
        raw = header[at + width:at + width + size]
        at += width + size
        return raw.decode()

    remark = text(4) or None
    total, = struct.unpack_from(">i", header, at)
    at += 4
    if at + total != len(header):
        raise ValueError("the fields do not fill the header")
    ext = {}
    while at < len(header):
        name = text(2)
        ext[name] = text(4)
    return Command(code, ext or None, body, language=LANGUAGES[language], version=version, opaque=opaque, flag=flag,
                   remark=remark)


class Connection:
    """A connection to one server. `callbacks` collects what the server asks of us; it is never answered by itself."""

    def __init__(self, address, timeout=5.0, form=JSON):
        self.address, self.timeout, self.form = address, timeout, form
        self.socket = socket.create_connection(address, timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(True)
        self.callbacks, self.answers = [], {}
        self._buffer = bytearray()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send_raw(self, content):
        self.socket.sendall(content)

    def send(self, command):
        self.send_raw(encode_binary(command) if self.form == BINARY else encode_json(command))
        return command.opaque

    def request(self, code, ext=None, body=b"", *, timeout=None, **header):
        """Sends a request and returns its answer; other traffic is kept for later."""
        return self.answer(self.send(Command(code, ext, body, **header)), timeout)

    def oneway(self, code, ext=None, body=b"", **header):
        return self.send(Command(code, ext, body, flag=ONEWAY, **header))

    def reply(self, request, code, body=b"", ext=None):
        """Answers a callback."""
        self.send(Command(code, ext, body, opaque=request.opaque, flag=RESPONSE))

    def answer(self, opaque, timeout=None):
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while opaque not in self.answers:
            self._file(self.read(end - time.monotonic()))
        return self.answers.pop(opaque)

    def callback(self, code=None, timeout=None):
        """The oldest request of the server, of that code if one is given."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            for index, command in enumerate(self.callbacks):
                if code is None or command.code == code:
                    return self.callbacks.pop(index)
            self._file(self.read(end - time.monotonic()))

    def read(self, timeout=None):
        """The next frame, whatever it is."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            if len(self._buffer) >= 4:
                length, = struct.unpack_from(">i", self._buffer)
                if not 4 <= length <= FRAME_MAX:
                    raise ValueError(f"the server sent a frame of length {length}")
                if len(self._buffer) >= 4 + length:
                    content = bytes(self._buffer[4:4 + length])
                    del self._buffer[:4 + length]
                    return decode(content)
            self._receive(end)

    def silent(self, seconds):
        """Whether nothing at all arrives for that long on an open connection."""
        if self._buffer or self.answers:
            return False
        try:
            self._receive(time.monotonic() + seconds)
        except Timeout:
            return True
        return False

    def closed_within(self, seconds):
        """Whether the server closes the connection in time without sending a byte."""
        try:
            self._receive(time.monotonic() + seconds)
        except (Closed, ConnectionError):
            return True
        except Timeout:
            return False
        return False

    def _receive(self, end):
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.socket], [], [], left)[0]:
            raise Timeout(f"nothing from {self.address[0]}:{self.address[1]}")
        content = self.socket.recv(1 << 20)
        if not content:
            raise Closed(f"{self.address[0]}:{self.address[1]} closed the connection")
        self._buffer += content

    def _file(self, command):
        if command.is_response:
            self.answers[command.opaque] = command
        else:
            self.callbacks.append(command)
