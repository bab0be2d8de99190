"""Sending: single, batch, both headers; what is checked, in what order, with what code."""

import os
import unittest

import calls
import records
import servers
from case import SEND_KEYS, SEND_MARKS, RawCase, unlike_apache
from fastjson import loads
from remoting_client import ONEWAY

PROPERTIES_MAX = 32767
BODY_MAX = 4 * 1024 * 1024


class SendCase(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def max_offset(self, topic, queue=0):
        return self.broker.request(30, {"topic": topic, "queueId": str(queue)}).number("offset")

    def read(self, topic, offset=0, queue=0, expression="*"):
        answer = calls.pull(self.broker, "CID_RMQ_SYS_raw", topic, offset, queue=queue, expression=expression)
        return records.decode_records(self.assert_code(answer, 0).body)

    def topic_config(self, topic):
        """The broker's configuration of a topic, None if it has none."""
        answer = self.broker.request(351, {"topic": topic})
        return None if answer.code == 17 else loads(self.assert_code(answer, 0).body)

    def assert_sent(self, answer):
        self.assert_code(answer, 0)
        self.assertLessEqual(SEND_KEYS | SEND_MARKS, answer.keys)
        return answer


class Single(SendCase):
    def test_answer_and_record(self):
        topic = self.topic(self.broker, read=2, write=2)
        answer = self.assert_sent(calls.send(self.broker, topic, b"hello", 1, {"TAGS": "TagA", "KEYS": "k1 k2",
                                                                               "UNIQ_KEY": "00FF", "user": "Grüße 中"},
                                             h=7, g=1700000000000, j=3))
        self.assertEqual(("1", "0"), (answer.ext["queueId"], answer.ext["queueOffset"]))
        self.assertEqual("00FF", answer.ext["transactionId"])
        self.assertEqual("DefaultRegion", answer.ext["MSG_REGION"])
        self.assertEqual("true", answer.ext["TRACE_ON"])
        record, = self.read(topic, queue=1)
        self.assertEqual((b"hello", topic, 1, 0, 7, 3, 1700000000000), (
            record.body, record.topic, record.queue_id, record.queue_offset, record.flag, record.reconsume_times,
            record.born_time))
        self.assertEqual(answer.ext["msgId"], records.message_id(self.server.address, record.log_offset))
        wanted = {"TAGS": "TagA", "KEYS": "k1 k2", "UNIQ_KEY": "00FF", "user": "Grüße 中", "MSG_REGION": "DefaultRegion",
                  "TRACE_ON": "true", "CLUSTER": self.server.cluster}
        self.assertEqual(wanted, {name: record.properties.get(name) for name in wanted})
        self.assertEqual("127.0.0.1|%d" % self.broker.socket.getsockname()[1], record.born_host)
        self.assertEqual("127.0.0.1|%d" % self.server.address[1], record.store_host)

    def test_offsets_of_a_queue_are_dense(self):
        topic = self.topic(self.broker)
        offsets = [calls.send(self.broker, topic).ext["queueOffset"] for _ in range(50)]
        self.assertEqual([str(offset) for offset in range(50)], offsets)

    def test_long_header(self):
        topic = self.topic(self.broker)
        self.assert_sent(calls.send_v1(self.broker, topic, b"v1", properties={"TAGS": "A"}))
        self.assert_sent(calls.send_v1(self.broker, topic, b"v1", queueId=0, sysFlag=0, unitMode=False, batch=False))
        self.assertEqual([b"v1", b"v1"], [record.body for record in self.read(topic)])

    def test_a_unique_key_is_made_if_the_sender_gives_none(self):
        topic = self.topic(self.broker)
        answer = self.assert_sent(calls.send(self.broker, topic))
        record, = self.read(topic)
        self.assertRegex(record.properties["UNIQ_KEY"], r"^[0-9A-F]{32}([0-9A-F]{24})?$")
        self.assertEqual(record.properties["UNIQ_KEY"], answer.ext["transactionId"])

    def test_negative_queue_id_means_any_queue(self):
        topic = self.topic(self.broker, read=4, write=4)
        found = {self.assert_sent(calls.send(self.broker, topic, queue=-1)).ext["queueId"] for _ in range(100)}
        self.assertLessEqual(found, set("0123"))
        self.assertGreater(len(found), 1)

    def test_queue_id_out_of_range(self):
        topic = self.topic(self.broker)
        self.assert_code(calls.send(self.broker, topic, queue=9), 29, "queueId[9] is illegal", topic)

    def test_refusals_carry_the_marks(self):
        answer = calls.send(self.broker, "bad name!")
        self.assertEqual(SEND_MARKS, answer.keys)

    def test_topic_names(self):
        self.assert_code(calls.send(self.broker, ""), 29, "The specified topic is blank.")
        self.assert_code(calls.send(self.broker, "bad name!"), 29, "bad name!, contains illegal characters",
                         "^[%|a-zA-Z0-9_-]+$")
        self.assert_code(calls.send(self.broker, "a.b"), 29)
        self.assert_sent(calls.send(self.broker, self.name("All-chars_%|09azAZ")))

    def test_internal_topics_are_not_for_senders(self):
        for topic in ("SCHEDULE_TOPIC_XXXX", "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
                      "TRANS_CHECK_MAX_TIME_TOPIC", "SELF_TEST_TOPIC", "OFFSET_MOVED_EVENT"):
            with self.subTest(topic):
                self.assert_code(calls.send(self.broker, topic), 16, f"Sending message to topic[{topic}] is forbidden.")

    def test_missing_fields(self):
        topic = self.topic(self.broker)
        self.assert_sent(calls.send(self.broker, topic, a=None))
        for field in ("b", "e"):
            with self.subTest(field):
                self.assert_fails(calls.send(self.broker, topic, **{field: None}))
        for code in (310, 10):
            self.assert_fails(self.broker.request(code, None, b"x"))
            self.assert_fails(self.broker.request(code, {}, b"x"))
        self.assert_fails(calls.send(self.broker, topic, e="abc"))
        self.assertEqual(1, self.max_offset(topic))

    def test_body_limits(self):
        topic = self.topic(self.broker)
        self.assert_fails(calls.send(self.broker, topic, b""))
        self.assert_code(calls.send(self.broker, topic, bytes(BODY_MAX + 1)), 13, "the message is illegal")
        self.assertEqual(0, self.max_offset(topic))
        self.assert_sent(calls.send(self.broker, topic, bytes(BODY_MAX)))

    def test_property_limits(self):
        """The ceiling for what a sender may give; the broker's own properties need room too."""
        topic = self.topic(self.broker)
        self.assert_code(calls.send(self.broker, topic, properties="k\x01" + "v" * (PROPERTIES_MAX + 1 - 3) + "\x02"), 13,
                         "properties length")
        self.assert_sent(calls.send(self.broker, topic, properties="k\x01" + "v" * 32000 + "\x02"))
        record, = self.read(topic)
        self.assertEqual(32000, len(record.properties["k"]))
        self.assertEqual(self.server.cluster, record.properties["CLUSTER"])

    def test_odd_property_texts_are_stored(self):
        topic = self.topic(self.broker)
        for text in ("nothing special", "\x01\x02", "\x02\x02", "a\x01b", None, "", "a\x01\x02b\x01c\x02a\x01d\x02"):
            self.assert_sent(calls.send(self.broker, topic, properties=text))
        self.assertEqual(7, len(self.read(topic)))

    def test_permission_of_the_topic_is_not_checked(self):
        """Apache stores into read-only topics as well; clients keep away by the route."""
        for perm in (4, 0):
            self.assert_sent(calls.send(self.broker, self.topic(self.broker, perm=perm)))

    def test_dead_letter_and_retry_topics(self):
        group = self.group(self.broker)
        self.assert_sent(calls.send(self.broker, f"%RETRY%{group}"))
        self.assert_sent(calls.send(self.broker, f"%DLQ%{group}"))
        self.assertGreater(self.topic_config(f"%RETRY%{group}")["writeQueueNums"], 0)

    def test_one_way_sends_are_stored_and_not_answered(self):
        topic = self.topic(self.broker)
        for code in (310, 10):
            fields = calls.send_fields(topic)
            if code == 10:
                fields = {calls.LONG_NAMES[key]: value for key, value in fields.items()}
            self.broker.oneway(code, fields, b"x")
        self.broker.oneway(320, calls.send_fields(topic, m="true"), records.encode_batch([(b"a", ""), (b"b", "")]))
        self.assertTrue(self.broker.silent(0.3))
        self.eventually("all four are stored", lambda: self.max_offset(topic) == 4)

    def test_message_is_seen_by_its_offset_id(self):
        topic = self.topic(self.broker)
        answer = self.assert_sent(calls.send(self.broker, topic, b"look"))
        offset = int(answer.ext["msgId"][16:], 16)
        for fields in ({"offset": str(offset)}, {"offset": str(offset), "topic": topic}):
            found = self.assert_code(self.broker.request(33, fields), 0)
            record, end = records.decode_record(found.body)
            self.assertEqual((b"look", len(found.body)), (record.body, end))
        for bad in ("99999999999", "-1"):
            self.assert_code(self.broker.request(33, {"offset": bad}), 1, "can not find message by the offset", bad)
        self.assert_fails(self.broker.request(33, {}))

    @unlike_apache("it reads whatever bytes lie there")
    def test_an_offset_inside_a_record_finds_nothing(self):
        topic = self.topic(self.broker)
        answer = self.assert_sent(calls.send(self.broker, topic, b"look" * 50))
        offset = int(answer.ext["msgId"][16:], 16)
        for inside in (1, 4, 60, 100):
            self.assert_code(self.broker.request(33, {"offset": str(offset + inside)}), 1)


class P07TopicLength(SendCase):
    """P07: 127 characters pass, 128 and more are refused before anything is created; retry names up to 255."""

    def test_lengths(self):
        for make in ("send", "create"):
            for length in (126, 127, 128, 255):
                with self.subTest(make, length=length):
                    topic = (make + "x" * 300)[:length]
                    answer = calls.send(self.broker, topic) if make == "send" else calls.create_topic(self.broker, topic)
                    if length <= 127:
                        self.assert_code(answer, 0)
                        self.assertIsNotNone(self.topic_config(topic))
                    else:
                        self.assert_code(answer, 29, "127", topic)
                        self.assertIsNone(self.topic_config(topic))
                        self.assertFalse(self.server.store and any(self.server.store.rglob(topic[:100] + "*" * 1))
                                         and (self.server.store / "consumequeue" / topic).exists())

    def test_retry_and_dead_letter_names(self):
        group = "g" * 120
        self.assert_code(calls.create_group(self.broker, group), 0)
        for topic in (f"%RETRY%{group}", f"%DLQ%{group}"):
            self.assert_sent(calls.send(self.broker, topic, b"long"))
        self.assertEqual([b"long"], [record.body for record in self.read(f"%DLQ%{group}")])

    @unlike_apache("its own checks of the group name stand before")
    def test_dead_letter_names_up_to_255(self):
        topic = ("%DLQ%" + "d" * 300)[:255]
        self.assert_sent(calls.send(self.broker, topic, b"longest"))
        record, = self.read(topic)
        self.assertEqual((topic, 0xDAA320AB), (record.topic, record.magic))
        self.assert_code(calls.send(self.broker, topic + "d"), 29, "255")


class Batch(SendCase):
    def batch(self, topic, messages, **fields):
        return calls.send_batch(self.broker, topic, records.encode_batch(messages), **fields)

    def test_answer_and_records(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 2)
        answer = self.assert_sent(self.batch(topic, [(b"one", "TAGS\x01A\x02"), (b"two", "KEYS\x01k\x02"), (b"three", "")]))
        self.assertEqual("2", answer.ext["queueOffset"])
        found = self.read(topic, 2)
        self.assertEqual([b"one", b"two", b"three"], [record.body for record in found])
        self.assertEqual([2, 3, 4], [record.queue_offset for record in found])
        self.assertEqual(answer.ext["msgId"], ",".join(records.message_id(self.server.address, record.log_offset)
                                                       for record in found))
        self.assertEqual(("A", "k"), (found[0].properties["TAGS"], found[1].properties["KEYS"]))

    def test_refused_batches(self):
        topic = self.topic(self.broker)
        # Ours says 13: a broken batch is the sender's fault, no other broker will take it.
        self.assert_code(calls.send_batch(self.broker, topic, b"garbage"), 1 if servers.is_apache() else 13)
        group = self.group(self.broker)
        self.assert_code(calls.send_batch(self.broker, f"%RETRY%{group}", records.encode_batch([(b"x", "")])), 13,
                         "batch request does not support retry group")
        self.assertEqual(0, self.max_offset(topic))

    @unlike_apache("a cut batch is stored in part or fails with a Java text")
    def test_cut_batches_store_nothing(self):
        topic = self.topic(self.broker)
        whole = records.encode_batch([(b"one", "a\x01b\x02"), (b"two", "")])
        for cut in (1, 5, len(whole) // 2, 19):
            with self.subTest(cut):
                self.assertNotEqual(0, calls.send_batch(self.broker, topic, whole[:-cut]).code)
        for change in (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"):
            for at in (0, 16, 23):
                self.assertNotEqual(0, calls.send_batch(self.broker, topic, whole[:at] + change + whole[at + 4:]).code)
        self.assertEqual(0, self.max_offset(topic))

    def test_p08_oversized_properties_in_a_batch(self):
        """P08: the whole batch is refused, nothing of it stored."""
        topic = self.topic(self.broker)
        long = "k\x01" + "v" * (32768 - 3) + "\x02"
        answer = self.batch(topic, [(b"one", ""), (b"two", long), (b"three", "")])
        if servers.is_apache():
            self.assertNotEqual(0, answer.code)
        else:
            self.assert_code(answer, 13, "properties")
        self.assertEqual(0, self.max_offset(topic))

    def test_p08_the_largest_properties_are_accepted(self):
        """32 767 bytes less the room the broker's own properties take, single and in a batch. The ceiling is found by
        halving, must be the same for both within those few properties, and must leave at least 32 000."""
        topic = self.topic(self.broker)

        def accepted(size, batch):
            text = "k\x01" + "v" * (size - 3) + "\x02"
            answer = self.batch(topic, [(b"x", text)]) if batch else calls.send(self.broker, topic, properties=text)
            self.assertIn(answer.code, (0, 13), answer.remark)
            return answer.code == 0

        for batch in (False, True):
            low, high = 32000, 32768
            self.assertTrue(accepted(low, batch))
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if accepted(middle, batch) else (low, middle)
            print(f"\n  largest property text, {'batch' if batch else 'single'}: {low} bytes", end=" ", flush=True)
            self.assertLess(32767 - low, 700)

    def test_p09_properties_without_the_end_mark(self):
        """P09: the tag stays TagA although the broker appends properties of its own; the queue's hash agrees."""
        topic = self.topic(self.broker)
        ends_open = records.encode_properties({"KEYS": "k", "TAGS": "TagA"}, end_mark=False)
        self.assert_sent(self.batch(topic, [(b"one", ends_open), (b"two", "TAGS\x01TagB")]))
        self.assert_sent(calls.send(self.broker, topic, b"three", properties=ends_open))
        found = self.read(topic, expression="TagA")
        self.assertEqual([b"one", b"three"], [record.body for record in found])
        for record in found:
            self.assertEqual(("k", "TagA"), (record.properties["KEYS"], record.properties["TAGS"]))
        self.assertEqual(self.server.cluster, found[-1].properties["CLUSTER"])

    def test_p09_with_properties_of_the_batch_itself(self):
        """As Java sends it: the batch has an id of its own, which must not run into the last property of a message."""
        topic = self.topic(self.broker)
        self.assert_sent(self.batch(topic, [(b"one", "TAGS\x01TagA"), (b"two", "TAGS\x01TagA\x02")],
                                    i="UNIQ_KEY\x01BATCH\x02WAIT\x01true"))
        found = self.read(topic, expression="TagA")
        self.assertEqual([b"one", b"two"], [record.body for record in found])
        self.assertEqual(["TagA", "TagA"], [record.properties["TAGS"] for record in found])

    def test_a_batch_as_large_as_a_message_may_be(self):
        topic = self.topic(self.broker)
        half = bytes(BODY_MAX // 2 - 100)
        self.assert_sent(self.batch(topic, [(half, ""), (half, "")]))
        self.assertEqual(2, self.max_offset(topic))
        self.assertNotEqual(0, self.batch(topic, [(bytes(BODY_MAX), ""), (bytes(BODY_MAX), "")]).code)
        self.assertEqual(2, self.max_offset(topic))

    def test_a_batch_to_a_new_topic_creates_it(self):
        topic = self.name("fresh")
        self.assert_sent(self.batch(topic, [(b"x", "")]))
        self.assertEqual(4, self.topic_config(topic)["writeQueueNums"])


class AutoCreation(SendCase):
    def test_the_new_topic_is_registered(self):
        topic = self.name("fresh")
        self.assert_sent(calls.send(self.broker, topic))
        self.eventually("it has a route", lambda: self.connect_namesrv().request(105, {"topic": topic}).code == 0)
        config = self.topic_config(topic)
        self.assertEqual((4, 4, 6), (config["readQueueNums"], config["writeQueueNums"], config["perm"]))

    def test_template_must_exist_and_be_one(self):
        plain = self.topic(self.broker)
        for template in ("NoSuchTemplate", plain):
            topic = self.name("fresh")
            self.assert_code(calls.send(self.broker, topic, c=template), 17,
                             f"topic[{topic}] not exist, apply first please!", "06FAQ")
            self.assertIsNone(self.topic_config(topic))

    def test_a_template_of_ones_own(self):
        template, topic = self.topic(self.broker, read=3, write=3, perm=7), self.name("fresh")
        self.assert_sent(calls.send(self.broker, topic, c=template, d=8))
        config = self.topic_config(topic)
        self.assertEqual((3, 3, 6), (config["readQueueNums"], config["writeQueueNums"], config["perm"]))

    def test_unit_mode_sets_the_flag(self):
        topic = self.name("fresh")
        self.assert_sent(calls.send(self.broker, topic, k="true"))
        self.assertEqual(1, self.topic_config(topic)["topicSysFlag"])

    def test_p21_queue_count_is_the_smaller_wish(self):
        """P21: server 32 queues, clients ask 4, 64, 0, -5."""
        server = self.own_server(defaultTopicQueueNums=32)
        self.broker = self.connect(server)
        for wish, count in ((4, 4), (64, 32), (0, 0), (-5, 0)):
            with self.subTest(wish):
                topic = self.name("fresh")
                answer = calls.send(self.broker, topic, d=wish)
                if count:
                    self.assert_sent(answer)
                    config = self.topic_config(topic)
                    self.assertEqual((count, count), (config["readQueueNums"], config["writeQueueNums"]))
                else:
                    self.assertNotEqual(0, answer.code)
                    self.assertTrue(answer.remark)
                    config = self.topic_config(topic)
                    self.assertGreaterEqual(config["writeQueueNums"] if config else 0, 0)
        self.assert_sent(calls.send(self.broker, self.name("fresh")))

    def test_switch_off(self):
        server = self.own_server(autoCreateTopicEnable=False)
        self.broker = self.connect(server)
        topic = self.name("fresh")
        self.assert_code(calls.send(self.broker, topic), 17, topic)
        self.assertIsNone(self.topic_config(topic))
        self.assert_code(self.connect_namesrv(server).request(105, {"topic": "TBW102"}), 17)


if __name__ == "__main__":
    unittest.main()
