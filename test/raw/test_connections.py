"""Many connections, clients that do not read, memory. The idle limit of 120 s is not waited for unless APOGEE_SLOW is set."""

import os
import select
import socket
import time
import unittest

import calls
import records
import remoting_client as wire
import servers
from case import RawCase
from remoting_client import Command

READER = "CID_RMQ_SYS_raw"


class SlowReaders(RawCase):
    MEMORY_MAX = 64 << 20

    def setUp(self):
        self.server = self.own_server()
        self.broker = self.connect()
        self.topic_name = self.topic(self.broker)
        for _ in range(20):
            self.assert_code(calls.send(self.broker, self.topic_name, bytes(60_000)), 0)

    def pulls(self, count):
        return b"".join(wire.encode_json(Command(11, calls.pull_fields(READER, self.topic_name))) for _ in range(count))

    def test_a_client_that_never_reads_is_not_read_any_more(self):
        """Answers of a quarter MB each: the server must stop reading requests instead of collecting answers."""
        memory = 0 if servers.is_apache() else self.server.process.own_memory()
        deaf = self.connect()
        deaf.socket.setblocking(False)
        content, sent, blocked_since = memoryview(self.pulls(100_000)), 0, None
        while sent < len(content):
            if select.select([], [deaf.socket], [], 2)[1]:
                sent += deaf.socket.send(content[sent:sent + (1 << 20)])
            else:
                blocked_since = sent
                break
        if servers.is_apache():
            return  # It reads on until its memory is full.
        self.assertIsNotNone(blocked_since, "all 100 000 requests were taken in")
        self.assertLess(self.server.process.own_memory() - memory, self.MEMORY_MAX)
        began = time.monotonic()
        self.assert_code(calls.send(self.broker, self.topic_name), 0)  # Others are served.
        self.assertLess(time.monotonic() - began, 1)
        deaf.close()
        self.eventually("its memory is given back", lambda: self.server.process.own_memory() - memory < self.MEMORY_MAX)

    def test_a_client_that_reads_late_gets_every_answer(self):
        slow = self.connect(timeout=30)
        commands = [Command(11, calls.pull_fields(READER, self.topic_name, count=1)) for _ in range(500)]
        content = memoryview(b"".join(wire.encode_json(command) for command in commands))
        slow.socket.setblocking(False)
        sent = 0
        while sent < len(content) and select.select([], [slow.socket], [], 1)[1]:
            sent += slow.socket.send(content[sent:])
        time.sleep(0.5)
        slow.socket.setblocking(True)
        if sent < len(content):
            slow.send_raw(content[sent:])
        for command in commands:
            answer = self.assert_code(slow.answer(command.opaque, 30), 0)
            self.assertEqual(60_000, len(records.decode_records(answer.body)[0].body))

    def test_large_sends_without_reading_do_not_pile_up(self):
        memory = self.server.process.own_memory()
        connection = self.connect(timeout=60)
        commands = [Command(310, calls.send_fields(self.topic_name), bytes(1 << 20)) for _ in range(100)]
        for command in commands:
            connection.send(command)
        for command in commands:
            self.assert_code(connection.answer(command.opaque, 60), 0)
        if not servers.is_apache():
            self.assertLess(self.server.process.own_memory() - memory, self.MEMORY_MAX)


class Many(RawCase):
    def test_five_hundred_connections(self):
        topic = self.topic(self.connect())
        connections = [self.connect() for _ in range(500)]
        commands = [Command(310, calls.send_fields(topic), b"x") for _ in connections]
        for connection, command in zip(connections, commands):
            connection.send(command)
        offsets = [connection.answer(command.opaque, 30).number("queueOffset")
                   for connection, command in zip(connections, commands)]
        self.assertEqual(list(range(500)), sorted(offsets))

    def test_connections_that_come_and_go(self):
        for _ in range(300):
            with self.server.connect() as connection:
                connection.send(Command(30, {"topic": "TBW102", "queueId": "0"}))
        self.assert_code(self.connect().request(30, {"topic": "TBW102", "queueId": "0"}), 0)

    def test_half_closed_connections_are_let_go(self):
        connection = self.connect()
        connection.request(30, {"topic": "TBW102", "queueId": "0"})
        connection.socket.shutdown(socket.SHUT_WR)
        self.assertTrue(connection.closed_within(5))

    @unittest.skipUnless(os.environ.get("APOGEE_SLOW"), "waits 120 s; set APOGEE_SLOW=1")
    def test_idle_connections_are_closed_after_120_s(self):
        idle, busy, began = self.connect(), self.connect(), time.monotonic()
        for _ in range(12):
            self.assertFalse(select.select([idle.socket], [], [], 9)[0], "closed early")
            self.assert_code(busy.request(30, {"topic": "TBW102", "queueId": "0"}), 0)
        self.assertTrue(idle.closed_within(25))
        self.assertGreater(time.monotonic() - began, 115)
        self.assert_code(busy.request(30, {"topic": "TBW102", "queueId": "0"}), 0)


if __name__ == "__main__":
    unittest.main()
