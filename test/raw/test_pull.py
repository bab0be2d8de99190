"""Pulling: codes 0, 19, 20, 21 and the corrected next offset, filters by tag, held pulls, refusals."""

import time
import unittest

import calls
import records
from case import PULL_KEYS, RawCase, unlike_apache
from remoting_client import Command

GROUP = "CID_RMQ_SYS_raw"  # System groups always exist.


class PullCase(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def pull(self, topic, offset=0, group=GROUP, connection=None, **options):
        answer = calls.pull(connection or self.broker, group, topic, offset, **options)
        if answer.code in (0, 19, 20, 21):
            self.assertLessEqual(PULL_KEYS, answer.keys)
        return answer

    def assert_pull(self, answer, code, next_offset, min_offset, max_offset):
        self.assertEqual(code, answer.code, answer.remark)
        self.assertEqual((next_offset, min_offset, max_offset),
                         tuple(answer.number(name) for name in ("nextBeginOffset", "minOffset", "maxOffset")))
        self.assertEqual(0, answer.number("suggestWhichBrokerId"))
        self.assertEqual(code == 0, bool(answer.body))
        return answer

    def bodies(self, answer):
        return [record.body for record in records.decode_records(answer.body)]


class Positions(PullCase):
    def test_found(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 5)
        answer = self.assert_pull(self.pull(topic), 0, 5, 0, 5)
        self.assertEqual([b"0", b"1", b"2", b"3", b"4"], self.bodies(answer))
        answer = self.assert_pull(self.pull(topic, 3), 0, 5, 0, 5)
        self.assertEqual([b"3", b"4"], self.bodies(answer))
        answer = self.assert_pull(self.pull(topic, 1, count=2), 0, 3, 0, 5)
        self.assertEqual([b"1", b"2"], self.bodies(answer))

    def test_lite_pull_is_the_same(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 2)
        self.assert_pull(self.pull(topic, code=361), 0, 2, 0, 2)

    def test_count_0_yields_one_message(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        self.assert_pull(self.pull(topic, count=0), 0, 1, 0, 3)

    def test_at_the_end(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        self.assert_pull(self.pull(topic, 3), 19, 3, 0, 3)

    def test_p14_beyond_the_end(self):
        """P14: never back to the start."""
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        for offset in (4, 1003, 2**62):
            self.assert_pull(self.pull(topic, offset), 21, 3, 0, 3)

    def test_before_the_start(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        for offset in (-1, -3, -2**63):
            self.assert_pull(self.pull(topic, offset), 21, 0, 0, 3)

    def test_empty_queue(self):
        topic = self.topic(self.broker, read=2, write=2)
        self.fill(self.broker, topic, 1, queue=1)
        self.assert_pull(self.pull(topic, 0), 19, 0, 0, 0)
        for offset in (1, 5, 1000):
            self.assert_pull(self.pull(topic, offset), 21, 0, 0, 0)

    def test_a_pull_is_bounded_in_count_and_bytes(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3)
        for _ in range(12):
            self.assert_code(calls.send(self.broker, topic, bytes(100_000)), 0)
        offset, seen = 3, 0
        while offset < 15:
            answer = self.pull(topic, offset, count=1000)
            found = self.bodies(answer)
            self.assertTrue(1 <= len(found) <= 4, len(found))
            self.assertLess(len(answer.body), 512 * 1024)
            self.assertEqual(offset + len(found), answer.number("nextBeginOffset"))
            offset, seen = offset + len(found), seen + len(found)
        self.assertEqual(12, seen)

    def test_a_message_larger_than_the_bound_still_comes(self):
        topic = self.topic(self.broker)
        self.assert_code(calls.send(self.broker, topic, bytes(3 << 20)), 0)
        self.fill(self.broker, topic, 1)
        self.assert_pull(self.pull(topic), 0, 1, 0, 2)

    def test_huge_counts_are_no_request_for_memory(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 2)
        self.assert_pull(self.pull(topic, count=2**31 - 1), 0, 2, 0, 2)
        self.assertEqual(0, self.pull(topic, count=-1).code)

    def test_remarks_name_the_status(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 1)
        for offset, remark in ((0, "FOUND"), (1, "OFFSET_OVERFLOW_ONE"), (2, "OFFSET_OVERFLOW_BADLY"),
                               (-1, "OFFSET_TOO_SMALL")):
            self.assertEqual(remark, self.pull(topic, offset).remark)


class Tags(PullCase):
    def test_expression_in_the_request(self):
        topic = self.topic(self.broker)
        for index in range(6):
            self.assert_code(calls.send(self.broker, topic, str(index).encode(), properties={"TAGS": "ABC"[index % 3]}), 0)
        for expression, wanted in (("A", [b"0", b"3"]), ("A || C", [b"0", b"2", b"3", b"5"]), ("*", None), ("", None)):
            found = self.bodies(self.assert_pull(self.pull(topic, expression=expression), 0, 6, 0, 6))
            self.assertEqual(wanted or [str(index).encode() for index in range(6)], found)

    def test_nothing_matches(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 5, properties={"TAGS": "A"})
        self.assert_pull(self.pull(topic, expression="Nothing"), 20, 5, 0, 5)

    def test_p34_equal_hashes_move_the_position(self):
        """P34: a thousand messages tagged BB, subscription Aa: the broker passes them by hash, the position moves past
        them either way and reaches the end."""
        self.assertEqual(records.java_hash("Aa"), records.java_hash("BB"))
        topic = self.topic(self.broker)
        for _ in range(10):
            self.assert_code(calls.send_batch(self.broker, topic, records.encode_batch([(b"x", "TAGS\x01BB\x02")] * 100)), 0)
        offset, pulls = 0, 0
        while offset < 1000:
            answer = self.pull(topic, offset, expression="Aa")
            self.assertIn(answer.code, (0, 20))
            self.assertTrue(all(record.properties["TAGS"] == "BB" for record in records.decode_records(answer.body)))
            self.assertGreater(answer.number("nextBeginOffset"), offset)
            offset, pulls = answer.number("nextBeginOffset"), pulls + 1
        group = self.group(self.broker)
        self.assert_pull(self.pull(topic, 1000, group=group, expression="Aa", commit=1000), 19, 1000, 0, 1000)
        self.assert_number(self.broker.request(14, {"consumerGroup": group, "topic": topic, "queueId": "0"}), "offset", 1000)

    def test_one_scan_is_bounded_and_advances(self):
        topic = self.topic(self.broker)
        for _ in range(30):
            self.assert_code(calls.send_batch(self.broker, topic, records.encode_batch([(b"x", "TAGS\x01A\x02")] * 100)), 0)
        self.assert_code(calls.send(self.broker, topic, b"last", properties={"TAGS": "B"}), 0)
        offset = 0
        for _ in range(20):
            answer = self.pull(topic, offset, expression="B")
            if answer.code == 0:
                break
            self.assertEqual(20, answer.code)
            self.assertGreater(answer.number("nextBeginOffset"), offset)
            offset = answer.number("nextBeginOffset")
        self.assertEqual([b"last"], self.bodies(answer))

    def test_subscription_of_the_heartbeat(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        for tag in "AB":
            self.assert_code(calls.send(self.broker, topic, tag.encode(), properties={"TAGS": tag}), 0)
        self.assert_code(calls.heartbeat(self.broker, "raw@1", group, [calls.subscription(topic, "B")]), 0)
        self.assertEqual([b"B"], self.bodies(self.pull(topic, group=group, expression=None)))

    @unlike_apache("an older subVersion of the same connection is ignored")
    def test_p32_the_later_heartbeat_of_a_connection_wins(self):
        """P32: its clock went back an hour."""
        topic, group, now = self.topic(self.broker), self.group(self.broker), int(time.time() * 1000)
        for tag in "AB":
            self.assert_code(calls.send(self.broker, topic, tag.encode(), properties={"TAGS": tag}), 0)
        self.assert_code(calls.heartbeat(self.broker, "raw@1", group, [calls.subscription(topic, "A", now)]), 0)
        self.assertEqual([b"A"], self.bodies(self.pull(topic, group=group, expression=None)))
        self.assert_code(calls.heartbeat(self.broker, "raw@1", group, [calls.subscription(topic, "B", now - 3600_000)]), 0)
        self.assertEqual([b"B"], self.bodies(self.pull(topic, group=group, expression=None)))


class Held(PullCase):
    def wait_for(self, opaque, seconds):
        began = time.monotonic()
        return self.broker.answer(opaque, seconds), time.monotonic() - began

    def hold(self, topic, offset=0, hold=20000, group=GROUP, **options):
        """Sends a pull that may be held; returns its opaque."""
        return self.broker.send(Command(11, calls.pull_fields(group, topic, offset, hold=hold, **options)))

    def test_a_held_pull_is_answered_at_once_when_a_message_arrives(self):
        topic = self.topic(self.broker)
        opaque = self.hold(topic)
        self.assertTrue(self.broker.silent(0.5), "answered although there is nothing")
        sender = self.connect()
        sent = time.monotonic()
        self.assert_code(calls.send(sender, topic, b"wake"), 0)
        answer = self.broker.answer(opaque, 5)
        self.assertLess(time.monotonic() - sent, 1.0)
        self.assertEqual([b"wake"], self.bodies(self.assert_pull(answer, 0, 1, 0, 1)))

    def test_a_batch_wakes_too_and_comes_whole(self):
        topic = self.topic(self.broker)
        opaque = self.hold(topic)
        self.assertTrue(self.broker.silent(0.2))
        self.assert_code(calls.send_batch(self.connect(), topic, records.encode_batch([(b"a", ""), (b"b", "")])), 0)
        self.assertEqual([b"a", b"b"], self.bodies(self.broker.answer(opaque, 5)))

    def test_hold_time_of_the_client(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 2)
        answer, took = self.wait_for(self.hold(topic, 2, hold=1500), 10)
        self.assert_pull(answer, 19, 2, 0, 2)
        self.assertGreater(took, 1.4)
        self.assertLess(took, 1.5 + 5.5)  # Apache looks every 5 s.

    def test_only_code_19_is_held(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 3, properties={"TAGS": "A"})
        for options, code in ((dict(offset=4), 21), (dict(offset=-1), 21), (dict(expression="B"), 20), (dict(offset=0), 0)):
            answer, took = self.wait_for(self.hold(topic, **options), 5)
            self.assertEqual(code, answer.code)
            self.assertLess(took, 1)

    def test_without_the_suspend_flag_nothing_is_held(self):
        topic = self.topic(self.broker)
        fields = calls.pull_fields(GROUP, topic, suspendTimeoutMillis=20000)
        began = time.monotonic()
        self.assert_pull(self.broker.request(11, fields), 19, 0, 0, 0)
        self.assertLess(time.monotonic() - began, 1)

    def test_messages_that_do_not_match_do_not_wake(self):
        topic = self.topic(self.broker)
        opaque = self.hold(topic, expression="B", hold=10000)
        sender = self.connect()
        self.assert_code(calls.send(sender, topic, b"no", properties={"TAGS": "A"}), 0)
        self.assertTrue(self.broker.silent(0.5), "answered for a message that does not match")
        self.assert_code(calls.send(sender, topic, b"yes", properties={"TAGS": "B"}), 0)
        answer = self.broker.answer(opaque, 5)
        self.assertEqual([b"yes"], self.bodies(answer))
        self.assertEqual(2, answer.number("nextBeginOffset"))

    def test_other_requests_pass_a_held_pull(self):
        topic = self.topic(self.broker)
        opaque = self.hold(topic)
        self.assert_code(self.broker.request(30, {"topic": topic, "queueId": "0"}), 0)
        self.assert_code(calls.send(self.broker, topic, b"same connection"), 0)
        self.assertEqual([b"same connection"], self.bodies(self.broker.answer(opaque, 5)))

    def test_many_held_pulls_of_one_queue_are_all_answered(self):
        topic = self.topic(self.broker)
        opaques = [self.hold(topic) for _ in range(50)]
        self.assertTrue(self.broker.silent(0.3))
        self.assert_code(calls.send(self.connect(), topic, b"all"), 0)
        for opaque in opaques:
            self.assertEqual([b"all"], self.bodies(self.broker.answer(opaque, 5)))

    def test_a_held_pull_wakes_for_its_queue_only(self):
        topic = self.topic(self.broker, read=2, write=2)
        opaque = self.hold(topic, queue=1)
        self.assert_code(calls.send(self.connect(), topic, b"zero", 0), 0)
        self.assertTrue(self.broker.silent(0.4))
        self.assert_code(calls.send(self.connect(), topic, b"one", 1), 0)
        self.assertEqual([b"one"], self.bodies(self.broker.answer(opaque, 5)))

    def test_a_closed_connection_with_held_pulls_harms_nobody(self):
        topic = self.topic(self.broker)
        for _ in range(20):
            self.hold(topic)
        self.broker.close()
        self.broker = self.connect()
        self.fill(self.broker, topic, 3)
        self.assert_pull(self.pull(topic), 0, 3, 0, 3)


class Commit(PullCase):
    def stored(self, group, topic):
        answer = self.broker.request(14, {"consumerGroup": group, "topic": topic, "queueId": "0",
                                          "setZeroIfNotFound": "false"})
        return None if answer.code == 22 else answer.number("offset")

    def test_the_flag_decides(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        self.fill(self.broker, topic, 5)
        self.pull(topic, 3, group=group, commitOffset=2)
        self.assertIsNone(self.stored(group, topic))
        self.pull(topic, 3, group=group, commit=2)
        self.assertEqual(2, self.stored(group, topic))
        self.pull(topic, 5, group=group, commit=4)  # Code 19.
        self.assertEqual(4, self.stored(group, topic))

    def test_a_held_pull_commits_before_it_waits(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        self.fill(self.broker, topic, 2)
        opaque = self.broker.send(Command(11, calls.pull_fields(group, topic, 2, hold=20000, commit=2)))
        other = self.connect()
        self.eventually("it is stored while the pull waits", lambda: self.stored(group, topic) == 2 and not
                        self.broker.answers, 3)
        self.assert_code(calls.send(other, topic), 0)
        self.assert_code(self.broker.answer(opaque, 5), 0)


class Refusals(PullCase):
    def test_groups(self):
        topic = self.topic(self.broker)
        disabled = self.group(self.broker, consumeEnable=False)
        self.fill(self.broker, topic, 1)
        self.assert_code(self.pull(topic, group="bad group!"), 26, "subscription group [bad group!] does not exist")
        answer = self.assert_code(self.pull(topic, group=disabled), 16, f"subscription group no permission, {disabled}")
        self.assertEqual("2", answer.ext["forbiddenType"])

    def test_an_unknown_group_is_created_on_the_spot(self):
        topic, group = self.topic(self.broker), self.name("group")
        self.fill(self.broker, topic, 1)
        self.assert_pull(self.pull(topic, group=group), 0, 1, 0, 1)

    def test_topics_and_queues(self):
        topic, blind = self.topic(self.broker), self.topic(self.broker, perm=2)
        self.assert_code(self.pull("NoSuchTopic"), 17, "topic[NoSuchTopic] not exist, apply first please!")
        answer = self.assert_code(self.pull(blind), 16, f"the topic[{blind}] pulling message is forbidden")
        self.assertEqual("3", answer.ext["forbiddenType"])
        for queue in (1, 9, -1):
            self.assert_code(self.pull(topic, queue=queue), 29, f"queueId[{queue}] is illegal", topic)

    def test_without_expression_the_group_must_be_online(self):
        topic, other, group = self.topic(self.broker), self.topic(self.broker), self.group(self.broker)
        self.fill(self.broker, topic, 1)
        self.assert_code(self.pull(topic, group=group, expression=None), 24, "the consumer's group info not exist")
        self.assert_code(calls.heartbeat(self.broker, "raw@1", group, [calls.subscription(topic)]), 0)
        self.assert_pull(self.pull(topic, group=group, expression=None), 0, 1, 0, 1)
        self.assert_code(self.pull(other, group=group, expression=None), 24)

    def test_missing_and_broken_fields(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 1)
        for field in ("subVersion", "commitOffset", "suspendTimeoutMillis", "maxMsgBytes", "expressionType"):
            self.assert_pull(self.pull(topic, **{field: None}), 0, 1, 0, 1)
        for change in ({"sysFlag": None}, {"queueOffset": "abc"}, {"topic": None}, {"consumerGroup": None}):
            with self.subTest(change):
                fields = {**calls.pull_fields(GROUP, topic), **change}
                self.assert_fails(self.broker.request(11, {key: value for key, value in fields.items() if value is not None}))
        for fields in (None, {}):
            self.assert_fails(self.broker.request(11, fields))


if __name__ == "__main__":
    unittest.main()
