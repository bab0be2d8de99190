"""Recorded exchanges with Apache 5.5.0, replayed (capture_judge.py says what is compared)."""

import unittest

import capture_judge
import servers
from case import RawCase


class Captures(RawCase):
    def test_replay(self):
        for path in sorted(capture_judge.CAPTURES.glob("*.jsonl")):
            # A fresh server for each: the lines of a recording build on each other and on nothing else.
            server = self.server if servers.is_external() else self.own_server()
            for line, _, found in capture_judge.replay(capture_judge.captured(path), server):
                with self.subTest(path.stem, server=line["server"], code=line["code"], case=line["case"]):
                    self.assertEqual([], found)

    def setUp(self):
        if servers.is_external():
            super().setUp()


if __name__ == "__main__":
    unittest.main()
