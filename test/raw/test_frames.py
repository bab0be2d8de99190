"""The frame layer: what is refused, what is understood, and in what form answers come."""

import json
import struct
import threading
import unittest

import calls
import remoting_client as wire
import servers
from case import RawCase, unlike_apache
from remoting_client import BINARY, JSON, Command

UNKNOWN = 9999
# Frames that no server can make sense of, by what is wrong with them.
MALFORMED = {
    "length 3, no room for the header word": struct.pack(">i", 3) + b"abc" + bytes(16),
    "length 0": struct.pack(">i", 0) + bytes(16),
    "negative length": struct.pack(">i", -5) + bytes(16),
    "length over 16 MiB": struct.pack(">i", wire.FRAME_MAX + 1) + bytes(16),
    "largest length": struct.pack(">i", 0x7FFFFFFF) + bytes(16),
    "header longer than the frame": struct.pack(">iI", 20, 17) + bytes(16),
    "header length of 24 bits": struct.pack(">iI", 20, 0xFFFFFF) + bytes(16),
    "empty header": wire.frame(b"") + bytes(16),
    "header type 7": wire.frame(b'{"code":30,"flag":0,"opaque":1}', kind=7),
    "header type 255": wire.frame(b'{"code":30,"flag":0,"opaque":1}', kind=255),
    "not JSON": wire.frame(b"this is not a header"),
    "JSON cut short": wire.frame(b'{"code":30,"flag":0,"opaque":1'),
    "JSON array": wire.frame(b"[1,2,3,4,5]"),
    "JSON null": wire.frame(b"null      "),
    "unquoted names": wire.frame(b'{code:30,flag:0,opaque:1}'),
    "extFields a text": wire.frame(b'{"code":30,"flag":0,"opaque":1,"extFields":"x"}'),
    "extFields an array": wire.frame(b'{"code":30,"flag":0,"opaque":1,"extFields":["a"]}'),
    "flag a word": wire.frame(b'{"code":30,"flag":"x","opaque":1}'),
    "opaque beyond 32 bits": wire.frame(b'{"code":30,"flag":0,"opaque":2147483648}'),
}


def binary_header(code=30, remark=struct.pack(">i", 0), fields=struct.pack(">i", 0)):
    return struct.pack(">hBhiI", code, 0, wire.VERSION, 7, 0) + remark + fields


MALFORMED_BINARY = {
    "cut in the fixed part": wire.frame(binary_header()[:15], kind=1),
    "remark longer than the header": wire.frame(binary_header(remark=struct.pack(">i", 1000) + b"abc"), kind=1),
    "fields longer than the header": wire.frame(binary_header(fields=struct.pack(">i", 1000) + b"abc"), kind=1),
    "name longer than the fields": wire.frame(
        binary_header(fields=struct.pack(">ih", 10, 500) + b"abcdefgh"), kind=1),
    "value longer than the fields": wire.frame(
        binary_header(fields=struct.pack(">ih", 11, 1) + b"a" + struct.pack(">i", 500) + b"abcd"), kind=1),
    "value of 2 GiB": wire.frame(
        binary_header(fields=struct.pack(">ih", 11, 1) + b"a" + struct.pack(">i", 0x7FFFFFFF) + b"abcd"), kind=1),
    # A negative length of remark or value counts as absent at Apache; it is not demanded to be refused.
}


class MalformedFrames(RawCase):
    def refuse(self, frames, address):
        for what, content in frames.items():
            with self.subTest(what), wire.Connection(address) as connection:
                connection.send_raw(content)
                self.assertTrue(connection.closed_within(3), "not closed, or something was answered")

    def test_p01_malformed_frames_close_their_connection_only(self):
        """P01. Another connection sends messages all the while and sees nothing of it."""
        topic, stop, failures = self.topic(self.connect()), threading.Event(), []

        def keep_sending():
            with self.server.connect() as connection:
                while not stop.is_set():
                    try:
                        answer = calls.send(connection, topic)
                        if answer.code:
                            failures.append(answer)
                    except Exception as error:
                        failures.append(error)
                        return

        sender = threading.Thread(target=keep_sending)
        sender.start()
        try:
            self.refuse(MALFORMED, self.server.address)
        finally:
            stop.set()
            sender.join()
        self.assertEqual([], failures)

    def test_malformed_binary_headers_close_the_connection(self):
        self.refuse(MALFORMED_BINARY, self.server.address)

    def test_the_name_server_refuses_malformed_frames_too(self):
        self.refuse(MALFORMED, self.server.namesrv.address)
        self.assert_code(self.connect_namesrv().request(206), 0)

    def test_a_frame_that_comes_byte_by_byte_is_served(self):
        connection = self.connect()
        command = Command(30, {"topic": "TBW102", "queueId": "0"})
        for byte in wire.encode_json(command):
            connection.send_raw(bytes([byte]))
        self.assert_code(connection.answer(command.opaque), 0)

    def test_many_frames_in_one_write_are_all_answered(self):
        connection = self.connect()
        commands = [Command(30, {"topic": "TBW102", "queueId": "0"}) for _ in range(500)]
        connection.send_raw(b"".join(wire.encode_json(command) for command in commands))
        for command in commands:
            self.assert_code(connection.answer(command.opaque), 0)

    def test_a_half_frame_followed_by_silence_disturbs_nobody(self):
        waiting = self.connect()
        waiting.send_raw(wire.encode_json(Command(30, {"topic": "TBW102"}))[:30])
        self.assert_code(self.connect().request(30, {"topic": "TBW102", "queueId": "0"}), 0)
        self.assertTrue(waiting.silent(0.3))

    def test_the_largest_frame_passes_and_a_byte_more_does_not(self):
        connection = self.connect()
        header = json.dumps({"code": UNKNOWN, "flag": 0, "opaque": 5}).encode()
        # The limit counts the length field too.
        connection.send_raw(wire.frame(header, bytes(wire.FRAME_MAX - 8 - len(header))))
        self.assert_code(connection.read(20), 3)
        connection.send_raw(wire.frame(header, bytes(wire.FRAME_MAX - 7 - len(header)))[:1 << 16])
        self.assertTrue(connection.closed_within(3))


class ForeignProtocols(RawCase):
    HELLOS = {
        "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl\r\n\r\n",
        "HTTP POST": b"POST /v1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]),
        "SSH": b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
        "Redis": b"*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n",
    }
    TLS = bytes.fromhex("1603010200010001fc0303") + bytes(range(200)) + bytes(311)

    def test_each_is_closed_and_nothing_else(self):
        for server, address in (("broker", self.server.address), ("name server", self.server.namesrv.address)):
            for what, hello in self.HELLOS.items():
                with self.subTest(what, server=server), wire.Connection(address) as connection:
                    connection.send_raw(hello)
                    self.assertTrue(connection.closed_within(3), "not closed, or something was answered")
        self.assert_code(self.connect().request(UNKNOWN), 3)

    def test_tls_hello_is_closed_or_answered_in_tls(self):
        with wire.Connection(self.server.address) as connection:
            connection.send_raw(self.TLS)
            connection.socket.settimeout(3)
            try:
                content = connection.socket.recv(1000)
            except ConnectionError:
                content = b""
            self.assertIn(content[:1], (b"", b"\x15", b"\x16"), "neither closed nor a TLS record")
        self.assert_code(self.connect().request(UNKNOWN), 3)

    @unlike_apache("a stack trace for each")
    def test_p03_a_thousand_prefaces_cost_neither_memory_nor_log(self):
        """P03: less than 10 MB and less than 50 lines."""
        server = self.own_server()
        calls.send(self.connect(server), "TopicWarm")
        memory, lines = server.process.own_memory(), self.log_lines(server)
        for _ in range(1000):
            with server.connect() as connection:
                connection.send_raw(self.HELLOS["HTTP/2"])
                self.assertTrue(connection.closed_within(3))
        self.assertLess(server.process.own_memory() - memory, 10 << 20)
        self.assertLess(self.log_lines(server) - lines, 50)
        self.assertIn("HTTP/2", self.log_text(server), "no line names the protocol")

    @staticmethod
    def log_text(server):
        files = [path for path in server.folder.rglob("*.log")]
        return server.process.output() + "".join(path.read_text(errors="replace") for path in files)

    def log_lines(self, server):
        return self.log_text(server).count("\n")


class Answers(RawCase):
    def test_unknown_code_is_answered_3_with_its_number(self):
        for connection in (self.connect(), self.connect_namesrv()):
            for code in (UNKNOWN, -5, 13, 0, 47):
                with self.subTest(code, server=connection.address):
                    self.assert_code(connection.request(code), 3, f" request type {code} not supported")

    def test_each_server_leaves_the_codes_of_the_other_alone(self):
        self.assert_code(self.connect().request(105, {"topic": "TBW102"}), 3)
        self.assert_code(self.connect_namesrv().request(11, {}), 3)
        self.assert_code(self.connect_namesrv().request(310, {}, b"x"), 3)

    def test_header_without_code_is_code_0(self):
        for header in ({}, {"opaque": 77}, {"opaque": 78, "flag": 0, "extFields": {"a": "b"}}):
            with self.subTest(header):
                connection = self.connect()
                connection.send_raw(wire.frame(json.dumps(header).encode().ljust(12)))
                answer = connection.read()
                self.assert_code(answer, 3, " request type 0 not supported")
                if "opaque" in header:
                    self.assertEqual(header["opaque"], answer.opaque)

    def test_opaque_is_echoed_whatever_it_is(self):
        for form in (JSON, BINARY):
            connection = self.connect(form=form)
            for opaque in (0, 1, -1, 2**31 - 1, -2**31):
                self.assertEqual(opaque, connection.request(UNKNOWN, opaque=opaque).opaque)

    def test_answers_name_a_version_that_keeps_client_features_on(self):
        self.assertGreaterEqual(self.connect().request(UNKNOWN).version, 413)

    @unlike_apache("5.5.0 answers in its own configured form")
    def test_the_answer_uses_the_form_of_the_request(self):
        topic = self.topic(self.connect())
        for form in (JSON, BINARY):
            connection, registry = self.connect(form=form), self.connect_namesrv(form=form)
            for answer in (connection.request(UNKNOWN), calls.send(connection, topic), registry.request(206),
                           calls.pull(connection, "CID_raw", topic), registry.request(105, {"topic": "NoSuchTopic"})):
                self.assertEqual(form, answer.form)

    def test_both_forms_on_one_connection(self):
        connection = self.connect()
        one = Command(30, {"topic": "TBW102", "queueId": "0"})
        two = Command(30, {"topic": "TBW102", "queueId": "0"})
        connection.send_raw(wire.encode_json(one) + wire.encode_binary(two))
        self.assert_code(connection.answer(one.opaque), 0)
        self.assert_code(connection.answer(two.opaque), 0)

    def test_binary_send_and_pull_work(self):
        connection = self.connect(form=BINARY)
        topic = self.topic(connection)
        self.assert_code(calls.send(connection, topic, b"binary", properties={"TAGS": "T"}), 0)
        self.assert_code(calls.pull(connection, "CID_raw", topic), 0)

    def test_pop_codes_cut_to_16_bits_in_binary_form_are_understood(self):
        """200050 arrives as 3442 and so on. A server that serves them answers as for the whole number, others 3; a JSON
        header with that small number is an unknown code."""
        for code in (200050, 200051, 200052, 200053, 200054, 200055, 200056, 200151):
            with self.subTest(code):
                whole = self.connect().request(code, {}).code
                cut = self.connect(form=BINARY).request(code, {}).code
                self.assertEqual(3 if servers.is_apache() else whole, cut)
                self.assert_code(self.connect().request(code & 0xFFFF, {}), 3)

    def test_one_way_is_never_answered(self):
        topic = self.topic(self.connect())
        for form in (JSON, BINARY):
            connection = self.connect(form=form)
            connection.oneway(UNKNOWN)
            connection.oneway(310, calls.send_fields(topic), b"oneway")
            connection.oneway(310, calls.send_fields("bad topic!"), b"oneway")
            connection.oneway(310, {}, b"")
            connection.oneway(30, {})
            connection.oneway(34, {}, b"garbage")
            connection.oneway(15, {"consumerGroup": "nobody"})
            self.assertTrue(connection.silent(0.5), f"{connection.answers}")
            self.assert_code(connection.request(UNKNOWN), 3)  # Still served.
        self.eventually("both one-way messages are stored", lambda: self.connect().request(
            30, {"topic": topic, "queueId": "0"}).ext["offset"] == "2")
        registry = self.connect_namesrv()
        for code in (UNKNOWN, 105, 103, 206):
            registry.oneway(code)
        self.assertTrue(registry.silent(0.5))

    def test_a_stray_response_is_ignored(self):
        connection = self.connect()
        connection.send(Command(0, {"a": "b"}, b"body", flag=wire.RESPONSE))
        connection.send(Command(1, flag=wire.RESPONSE | wire.ONEWAY))
        self.assertTrue(connection.silent(0.3))
        self.assert_code(connection.request(UNKNOWN), 3)


BROKER_CODES = (10, 11, 14, 15, 17, 18, 21, 29, 30, 31, 32, 33, 34, 35, 38, 41, 42, 46, 200, 201, 207, 215, 225, 310, 320,
                351, 352, 361)
NAMESRV_CODES = (100, 101, 102, 103, 104, 105, 106, 205, 206, 216, 217, 219, 224, 304, 311, 312, 313, 318, 319, 322, 327,
                 901, 904)


class P05EveryCode(RawCase):
    """P05: every answer is marked as one and carries the opaque, also to requests that make no sense."""

    BODIES = (b"", b"{", b"garbage", b"[]", b"null", b"\x00\xff" * 40)
    FIELDS = (None, {}, {"topic": "", "queueId": "x", "consumerGroup": "bad group!", "b": "", "e": "zz",
                         "brokerId": "none", "offset": "-9223372036854775808", "key": "\u0000"})

    def check(self, connect, codes):
        for form in (JSON, BINARY):
            for code in codes:
                with self.subTest(code, form=form), connect(form=form) as connection:
                    for fields in self.FIELDS:
                        for body in self.BODIES:
                            answer = connection.request(code, fields, body, opaque=-code)
                            self.assertEqual(wire.RESPONSE, answer.flag)
                            self.assertNotEqual(3, answer.code, answer.remark)
                            if answer.code:
                                self.assertTrue(answer.remark, f"code {answer.code} without a word")
                        connection.oneway(code, fields, b"garbage")
                    self.assertTrue(connection.silent(0.05), f"{connection.answers} {connection.callbacks}")

    def test_broker(self):
        self.check(self.server.connect, BROKER_CODES)
        self.assert_code(calls.send(self.connect(), self.topic(self.connect())), 0)

    def test_name_server(self):
        self.check(self.server.namesrv.connect, NAMESRV_CODES)
        self.assert_code(self.connect_namesrv().request(206), 0)


class LenientHeaders(RawCase):
    """Forms that some client or Apache accepts."""

    def served(self, header, registry=True):
        connection = self.connect_namesrv() if registry else self.connect()
        content = header if isinstance(header, bytes) else json.dumps(header).encode()
        connection.send_raw(wire.frame(content))
        return self.assert_code(connection.read(), 0)

    BASE = {"code": 105, "flag": 0, "opaque": 9, "version": 513, "language": "JAVA", "extFields": {"topic": "TBW102"}}

    def test_variants(self):
        variants = {
            "no language": {"language": None}, "language a number": {"language": 12}, "lower case": {"language": "java"},
            "unknown language": {"language": "COBOL"}, "code as text": {"code": "105"}, "no version": {"version": None},
            "version beyond 16 bits": {"version": 2**31 - 1}, "unknown member": {"more": {"a": [1, {"b": None}]}},
            "field a number": {"extFields": {"topic": "TBW102", "n": 7, "f": 1.5}},
            "field true": {"extFields": {"topic": "TBW102", "acceptStandardJsonOnly": True}},
            "field null": {"extFields": {"topic": "TBW102", "x": None}},
            "field an object": {"extFields": {"topic": "TBW102", "x": {"a": 1}}},
            "flag bit 2": {"flag": 4}, "remark": {"remark": "text"}, "serialize type": {"serializeTypeCurrentRPC": "JSON"},
        }
        for what, change in variants.items():
            with self.subTest(what):
                header = {name: value for name, value in {**self.BASE, **change}.items()
                          if value is not None or name in ("x",)}
                self.served(header)

    def test_single_quotes_and_trailing_commas(self):
        self.served(b"{'code':105,'flag':0,'opaque':9,'version':513,'extFields':{'topic':'TBW102',},}")

    def test_white_space_and_any_order(self):
        self.served(b' { "extFields" : { "topic" : "TBW102" } , "opaque" : 3 ,\n "flag":0, "code" : 105 } ')

    def test_numbers_as_fields_of_a_send(self):
        """Clients in C++ and Node put native numbers and booleans into the header."""
        connection = self.connect()
        topic = self.topic(connection)
        fields = {**calls.send_fields(topic), "d": 4, "e": 0, "f": 0, "h": 3, "k": False, "m": False}
        self.assert_code(connection.request(310, fields, b"x"), 0)

    def test_non_ascii_fields(self):
        answer = self.connect_namesrv().request(105, {"topic": "Täst中"})
        self.assert_code(answer, 17, "Täst中")


if __name__ == "__main__":
    unittest.main()
