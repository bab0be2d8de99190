"""Topics: create, change, list, page, delete (17, 18, 21, 215, 351)."""

import json
import unittest

import calls
import servers
from case import RawCase, unlike_apache
from fastjson import loads
from registrations import topic_config


class TopicCase(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def config(self, topic):
        return loads(self.assert_code(self.broker.request(351, {"topic": topic, "lo": "true"}), 0).body)

    def route(self, topic):
        return self.connect_namesrv().request(105, {"topic": topic})

    def create(self, topic, **options):
        return calls.create_topic(self.broker, topic, **options)


class Create(TopicCase):
    def test_what_was_asked_is_stored_and_registered(self):
        topic = self.name("topic")
        self.assert_code(self.create(topic, read=3, write=5, perm=4, order="true", topicSysFlag="2"), 0)
        wanted = {"topicName": topic, "readQueueNums": 3, "writeQueueNums": 5, "perm": 4, "order": True,
                  "topicSysFlag": 2, "topicFilterType": "SINGLE_TAG", "attributes": {}}
        config = self.config(topic)
        self.assertEqual(wanted, {name: config[name] for name in wanted})
        data = self.eventually("it has a route", lambda: self.route(topic).code == 0 and loads(self.route(topic).body))
        self.assertEqual((3, 5, 4, 2), tuple(data["queueDatas"][0][name] for name in
                                             ("readQueueNums", "writeQueueNums", "perm", "topicSysFlag")))

    def test_a_change_is_registered_too(self):
        topic = self.topic(self.broker)
        for _ in range(2):  # The second time nothing changes.
            self.assert_code(self.create(topic, read=7, write=7), 0)
        self.assertEqual(7, self.config(topic)["readQueueNums"])
        self.eventually("the route shows it", lambda: loads(self.route(topic).body)["queueDatas"][0]["readQueueNums"] == 7)

    def test_names(self):
        self.assert_code(self.create("bad name!"), 29, "bad name!, contains illegal characters")
        self.assert_code(self.create(""), 29, "The specified topic is blank.")
        for topic in ("TBW102", "SCHEDULE_TOPIC_XXXX", "rmq_sys_foo", "RMQ_SYS_TRANS_HALF_TOPIC", "BenchmarkTest"):
            self.assert_code(self.create(topic), 29, f"The topic[{topic}] is conflict with system topic.")

    def test_missing_and_broken_fields(self):
        for fields in (None, {}):
            self.assertNotEqual(0, self.broker.request(17, fields).code)
        topic = self.name("topic")
        for change in ({"readQueueNums": "abc"}, {"topicFilterType": "nonsense"}, {"topicFilterType": None}):
            with self.subTest(change):
                self.assert_fails(self.create(topic, **change))
        self.assert_fails(self.broker.request(17, {"topic": topic}))
        self.assert_code(self.broker.request(351, {"topic": topic}), 17)

    def test_attributes(self):
        topic = self.name("fifo")
        self.assert_code(self.create(topic, attributes="+message.type=FIFO"), 0)
        self.assertEqual({"message.type": "FIFO"}, self.config(topic)["attributes"])
        self.assert_code(self.create(topic, attributes="+message.type=DELAY"), 0)
        self.assertEqual({"message.type": "DELAY"}, self.config(topic)["attributes"])
        self.assert_code(self.create(topic, attributes="+queue.type=SimpleCQ"), 1, "unchangeable attribute", "queue.type")

    def test_attributes_refused(self):
        for text, code, remark in (("+no.such=1", 1, "unsupported key: no.such"),
                                   ("+message.type=NOPE", 1, "value is not in set"),
                                   ("-message.type", 1, "only add attribute is supported while creating topic"),
                                   ("+message.type=MIXED", 29, "MIXED message type is not supported."),
                                   ("message.type=FIFO", 1, "add/alter attribute format is wrong: message.type"),
                                   ("+message.type=FIFO,+message.type=FIFO", 1, "key duplication")):
            with self.subTest(text):
                topic = self.name("topic")
                self.assert_code(self.create(topic, attributes=text), code, remark)
                self.assert_code(self.broker.request(351, {"topic": topic}), 17)

    def test_lists(self):
        one, two = self.name("one"), self.name("two")
        body = json.dumps({"topicConfigList": [topic_config(one, 2, 3), topic_config(two)]})
        self.assert_code(self.broker.request(18, {}, body), 0)
        self.assertEqual((2, 3), (self.config(one)["readQueueNums"], self.config(one)["writeQueueNums"]))
        self.eventually("both have routes", lambda: self.route(one).code == self.route(two).code == 0)
        self.assert_code(self.broker.request(18, {}, json.dumps({"topicConfigList": []})), 0)
        self.assert_fails(self.broker.request(18, {}))

    def test_a_list_with_one_bad_name_creates_nothing(self):
        good = self.name("good")
        body = json.dumps({"topicConfigList": [topic_config(good), topic_config("bad name")]})
        self.assert_code(self.broker.request(18, {}, body), 29, "bad name")
        self.assert_code(self.broker.request(351, {"topic": good}), 17)

    def test_unknown_topic(self):
        self.assert_code(self.broker.request(351, {"topic": "NoSuchTopic"}), 17,
                         "No topic in this broker. topic: NoSuchTopic")


class Tables(TopicCase):
    def table(self, **fields):
        answer = self.assert_code(self.broker.request(21, fields or None), 0)
        return loads(answer.body), answer

    def test_whole_table(self):
        topic = self.topic(self.broker)
        table, answer = self.table()
        self.assertIn(topic, table["topicConfigTable"])
        self.assertLessEqual({"counter", "timestamp", "stateVersion"}, set(table["dataVersion"]))
        self.assertEqual(len(table["topicConfigTable"]), answer.number("totalTopicNum"))
        for system in ("TBW102", "SELF_TEST_TOPIC", "BenchmarkTest", "OFFSET_MOVED_EVENT", "SCHEDULE_TOPIC_XXXX",
                       self.server.cluster, self.server.name, f"{self.server.cluster}_REPLY_TOPIC",
                       f"rmq_sys_REVIVE_LOG_{self.server.cluster}", f"rmq_sys_SYNC_BROKER_MEMBER_{self.server.name}",
                       "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC", "rmq_sys_wheel_timer"):
            self.assertIn(system, table["topicConfigTable"])
        self.assertEqual((7, 8), tuple(table["topicConfigTable"]["TBW102"][name] for name in ("perm", "writeQueueNums")))
        self.assertEqual(16, table["topicConfigTable"][self.server.cluster]["writeQueueNums"])
        self.assertEqual(1024, table["topicConfigTable"]["BenchmarkTest"]["writeQueueNums"])
        self.assertEqual(18, table["topicConfigTable"]["SCHEDULE_TOPIC_XXXX"]["writeQueueNums"])

    def test_pages_cover_all_in_order(self):
        everything, version, seen = sorted(self.table()[0]["topicConfigTable"]), "", []
        while True:
            page, answer = self.table(topicSeq=str(len(seen)), maxTopicNum="7", dataVersion=version)
            self.assertEqual(len(everything), answer.number("totalTopicNum"))
            if not page["topicConfigTable"]:
                break
            self.assertLessEqual(len(page["topicConfigTable"]), 7)
            seen += sorted(page["topicConfigTable"])
            version = json.dumps(page["dataVersion"])
        self.assertEqual(everything, seen)

    def test_another_version_starts_over(self):
        first = sorted(self.table(topicSeq="0", maxTopicNum="3", dataVersion="")[0]["topicConfigTable"])
        for version in ("", json.dumps({"counter": 0, "stateVersion": 0, "timestamp": 0})):
            page = self.table(topicSeq="5", maxTopicNum="3", dataVersion=version)[0]
            self.assertEqual(first, sorted(page["topicConfigTable"]))

    def test_data_version_changes_with_a_topic(self):
        before = self.table()[0]["dataVersion"]
        self.topic(self.broker)
        self.assertNotEqual(before, self.table()[0]["dataVersion"])


class Delete(TopicCase):
    def test_refusals_and_unknown(self):
        for fields in ({"topic": ""}, {}):
            self.assert_code(self.broker.request(215, fields), 29, "The specified topic is blank.")
        self.assert_code(self.broker.request(215, {"topic": "TBW102"}), 29, "conflict with system topic")
        self.assert_code(self.broker.request(215, {"topic": "NoSuchTopic"}), 0)

    def test_deleted_is_gone_with_its_positions(self):
        topic, group = self.topic(self.broker), self.group(self.broker)
        self.fill(self.broker, topic, 3)
        self.broker.request(15, {"consumerGroup": group, "topic": topic, "queueId": "0", "commitOffset": "3"})
        self.assert_code(self.broker.request(215, {"topic": topic}), 0)
        self.assert_code(self.broker.request(351, {"topic": topic}), 17)
        self.assert_code(calls.pull(self.broker, group, topic), 17)
        self.assertNotIn(topic, loads(self.broker.request(21).body)["topicConfigTable"])
        self.assert_code(self.broker.request(14, {"consumerGroup": group, "topic": topic, "queueId": "0",
                                                  "setZeroIfNotFound": "false"}), 22)

    def test_created_again_it_starts_empty(self):
        topic = self.topic(self.broker)
        self.fill(self.broker, topic, 5)
        self.assert_code(self.broker.request(215, {"topic": topic}), 0)
        self.assert_code(self.create(topic), 0)
        self.assert_number(self.broker.request(30, {"topic": topic, "queueId": "0"}), "offset", 0)
        answer = self.assert_code(calls.send(self.broker, topic, b"new"), 0)
        self.assertEqual("0", answer.ext["queueOffset"])
        answer = calls.pull(self.broker, "CID_RMQ_SYS_raw", topic)
        self.assertEqual((0, 1), (answer.code, answer.number("maxOffset")))

    @unlike_apache("the queues come back, in memory and on disk")
    def test_p19_questions_do_not_bring_a_deleted_topic_back(self):
        """P19: neither in a listing nor on disk, also after a restart."""
        server = self.own_server()
        self.broker = self.connect(server)
        topic, group = "TopicGone", self.group(self.broker)
        self.assert_code(self.create(topic), 0)
        self.fill(self.broker, topic, 5)
        self.assert_code(self.broker.request(215, {"topic": topic}), 0)
        for code in (29, 30, 31, 32):
            self.broker.request(code, {"topic": topic, "queueId": "0", "timestamp": "0"})
        self.broker.request(14, {"consumerGroup": group, "topic": topic, "queueId": "0"})
        calls.pull(self.broker, group, topic)
        self.assertNotIn(topic, loads(self.broker.request(21).body)["topicConfigTable"])
        self.eventually("its queue files are gone", lambda: not list(server.store.rglob(topic)))
        self.assertEqual(0, server.stop())
        again = server.restart()
        self.addCleanup(again.kill)
        self.assertFalse(list(server.store.rglob(topic)))
        self.assertNotIn(topic, loads(self.connect(again).request(21).body)["topicConfigTable"])
        self.assert_code(self.connect_namesrv(again).request(105, {"topic": topic}), 17)


if __name__ == "__main__":
    unittest.main()
