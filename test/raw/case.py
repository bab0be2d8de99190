"""What every raw test starts from: the shared server, connections that close themselves, names nobody else uses."""

import functools
import itertools
import os
import time
import unittest

import calls
import servers
from remoting_client import Closed, Timeout

_numbers = itertools.count(1)
SEND_KEYS = {"msgId", "queueId", "queueOffset"}
SEND_MARKS = {"MSG_REGION", "TRACE_ON"}
PULL_KEYS = {"suggestWhichBrokerId", "nextBeginOffset", "minOffset", "maxOffset"}


def unlike_apache(reason):
    """The test demands what Apache 5.5.0 does not give; with RAW_PEER=apache it is skipped with the reason."""
    def wrap(method):
        @functools.wraps(method)
        def run(self, *args):
            if servers.is_apache():
                self.skipTest(f"Apache 5.5.0 does otherwise: {reason}")
            return method(self, *args)
        return run
    return wrap


class RawCase(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.server = servers.shared()

    def own_server(self, **settings):
        """A server only for this test, killed after it."""
        if servers.is_external():
            self.skipTest("needs a server of its own")
        server = servers.start_server(settings)
        self.addCleanup(server.kill)
        return server

    def connect(self, server=None, **options):
        connection = (server or self.server).connect(**options)
        self.addCleanup(connection.close)
        return connection

    def connect_namesrv(self, server=None, **options):
        connection = (server or self.server).namesrv.connect(**options)
        self.addCleanup(connection.close)
        return connection

    def name(self, what="name"):
        return f"{what}-{os.getpid()}-{next(_numbers)}"

    def topic(self, connection, **options):
        name = self.name("topic")
        self.assert_code(calls.create_topic(connection, name, **options), 0)
        return name

    def group(self, connection, **options):
        name = self.name("group")
        self.assert_code(calls.create_group(connection, name, **options), 0)
        return name

    def fill(self, connection, topic, count, queue=0, **options):
        """Sends `count` messages with bodies 0, 1, 2 …"""
        for index in range(count):
            self.assert_code(calls.send(connection, topic, str(index).encode(), queue, **options), 0)

    def assert_code(self, answer, code, *texts):
        """The code, and every text in the remark."""
        self.assertEqual(code, answer.code, f"remark: {answer.remark}")
        for text in texts:
            self.assertIn(text, answer.remark or "")
        return answer

    def assert_fails(self, answer, *texts):
        """Refused with code 1 and a remark that says something; Apache's own texts there are Java class names."""
        self.assert_code(answer, 1, *texts)
        self.assertTrue((answer.remark or "").strip(), "no remark")
        return answer

    def assert_number(self, answer, name, value):
        self.assert_code(answer, 0)
        self.assertEqual(str(value), (answer.ext or {}).get(name))

    def check_store(self, server):
        """The store directory as the independent verifier sees it: no damage."""
        code, text = servers.check_store(server.store)
        self.assertEqual(0, code, text)

    def eventually(self, what, check, seconds=10.0):
        """Polls until check() gives something true; returns it."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = check()
            except (Closed, Timeout, OSError):
                found = None
            if found:
                return found
            if time.monotonic() > end:
                self.fail(f"not within {seconds} s: {what}")
            time.sleep(0.05)
