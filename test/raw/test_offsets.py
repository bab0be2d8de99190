"""Positions of groups (14, 15) and of queues (29 to 32)."""

import time
import unittest

import calls
import records
from case import RawCase, unlike_apache


class OffsetCase(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def stored(self, group, topic, queue=0, zero=None, connection=None):
        fields = {"consumerGroup": group, "topic": topic, "queueId": str(queue)}
        if zero is not None:
            fields["setZeroIfNotFound"] = zero
        return (connection or self.broker).request(14, fields)

    def store(self, group, topic, offset, queue=0):
        return self.broker.request(15, {"consumerGroup": group, "topic": topic, "queueId": str(queue),
                                        "commitOffset": str(offset)})


class GroupPositions(OffsetCase):
    def test_store_and_query(self):
        topic, group = self.topic(self.broker, read=2, write=2), self.group(self.broker)
        self.fill(self.broker, topic, 3)
        for offset in (1, 3, 0, 2):  # A lower one is taken too.
            self.assert_code(self.store(group, topic, offset), 0)
            self.assert_number(self.stored(group, topic), "offset", offset)
        self.assert_code(self.store(group, topic, 77777), 0)
        self.assert_number(self.stored(group, topic, zero="false"), "offset", 77777)
        self.assert_code(self.stored(group, topic, 1, zero="false"), 22)

    def test_minus_one_counts_as_not_stored(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        self.fill(self.broker, topic, 1)
        self.assert_code(self.store(group, topic, -1), 0)
        self.assert_code(self.stored(group, topic, zero="false"), 22)
        self.assert_number(self.stored(group, topic), "offset", 0)

    def test_one_way_store(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        self.broker.oneway(15, {"consumerGroup": group, "topic": topic, "queueId": "0", "commitOffset": "5"})
        self.eventually("it is stored", lambda: (self.stored(group, topic).ext or {}).get("offset") == "5")
        self.assertTrue(self.broker.silent(0.1))

    def test_refusals(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        unknown = self.name("unknown")
        self.assert_code(self.store(unknown, topic, 1), 26, f"Group {unknown} not exist!")
        self.assert_code(self.store(group, "NoSuchTopic", 1), 17, "Topic NoSuchTopic not exist!")
        fields = {"consumerGroup": group, "topic": topic, "queueId": "0", "commitOffset": "1"}
        for missing, text in (("queueId", "QueueId is null"), ("commitOffset", "Offset is null")):
            answer = self.broker.request(15, {name: value for name, value in fields.items() if name != missing})
            self.assert_code(answer, 29, text, topic)
        self.assert_fails(self.broker.request(14, {}))
        for fields in ({}, None):  # Apache: the group null does not exist.
            self.assertNotEqual(0, self.broker.request(15, fields).code)

    def test_p16_the_contract_of_a_position_never_stored(self):
        """P16, minimum 0: absent and true give 0, false gives 22."""
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        group = self.name("unknown-group")
        for _ in range(2):
            self.assert_number(self.stored(group, topic), "offset", 0)
            self.assert_number(self.stored(group, topic, zero="true"), "offset", 0)
            self.assert_code(self.stored(group, topic, zero="false"), 22, "Not found, do not set to zero")

    def test_an_empty_queue_and_an_unknown_topic_have_nothing_in_memory(self):
        group = self.name("unknown-group")
        for topic in (self.topic(self.broker), "NoSuchTopic"):
            for zero in (None, "true"):
                self.assert_code(self.stored(group, topic, zero=zero), 22,
                                 "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first")


class QueuePositions(OffsetCase):
    def ask(self, code, topic, queue=0, **fields):
        return self.broker.request(code, {"topic": topic, "queueId": str(queue), **fields})

    def test_ends_of_a_queue(self):
        topic = self.topic(self.broker)
        before = int(time.time() * 1000) - 1
        self.fill(self.broker, topic, 7)
        self.assert_number(self.ask(30, topic), "offset", 7)
        self.assert_number(self.ask(30, topic, committed="true"), "offset", 7)
        self.assert_number(self.ask(31, topic), "offset", 0)
        first = self.assert_code(self.ask(32, topic), 0).number("timestamp")
        self.assertTrue(before <= first <= int(time.time() * 1000))

    def test_nothing_there(self):
        for topic, queue in ((self.topic(self.broker), 0), ("NoSuchTopic", 0), (self.topic(self.broker), 9)):
            for code in (30, 31, 29):
                self.assert_number(self.ask(code, topic, queue, timestamp="0"), "offset", 0)
            self.assert_number(self.ask(32, topic, queue), "timestamp", -1)

    def test_missing_fields(self):
        for code in (29, 30, 31, 32):
            for fields in (None, {}):
                self.assert_fails(self.broker.request(code, fields))

    def test_search_by_time(self):
        topic, times = self.topic(self.broker), []
        for index in range(4):
            self.fill(self.broker, topic, 1)
            record = self.record(topic, index)
            times.append(record.store_time)
            time.sleep(0.03)
        self.assertEqual(sorted(set(times)), times)

        def search(when, **fields):
            return self.ask(29, topic, timestamp=str(when), **fields).number("offset")

        for index, when in enumerate(times):
            self.assertEqual(index, search(when))
            self.assertEqual(index, search(when, boundaryType="LOWER"))
            self.assertEqual(index, search(when - 1))
            self.assertEqual(index, search(when, boundaryType="UPPER"))
            self.assertEqual(index, search(when + 1, boundaryType="upper"))
        self.assertEqual(0, search(0))
        self.assertEqual(0, search(0, boundaryType="UPPER"))
        self.assertEqual(4, search(times[3] + 1))
        self.assertEqual(3, search(times[3] + 100000, boundaryType="UPPER"))
        self.assertEqual(0, search(0, boundaryType="FOO"))
        self.assert_number(self.ask(29, "NoSuchTopic", timestamp="0"), "offset", 0)

    def record(self, topic, offset):
        answer = calls.pull(self.broker, "CID_RMQ_SYS_raw", topic, offset, count=1)
        return records.decode_records(self.assert_code(answer, 0).body)[0]

    @unlike_apache("it opens queues for whatever is asked")
    def test_p19_questions_about_unknown_topics_create_nothing(self):
        """P19, the part before any deletion."""
        server = self.own_server()
        self.broker = self.connect(server)
        def names():
            return {path.name for path in server.store.rglob("*") if path.parent.name != "config"}

        before = names()
        for code in (29, 30, 31, 32):
            self.ask(code, "Ghost", timestamp="0")
        self.stored("g", "Ghost")
        self.store("g", "Ghost", 5)
        calls.pull(self.broker, "CID_RMQ_SYS_raw", "Ghost")
        self.assertFalse([path for path in server.store.rglob("*") if "Ghost" in path.name])
        self.assertEqual(before, names())


if __name__ == "__main__":
    unittest.main()
