"""Clients: heartbeats, members, change notices, leaving, subscription checks (34, 35, 38, 40, 46)."""

import json
import unittest

import calls
from case import RawCase
from fastjson import loads
from remoting_client import Command

CHANGED = 40


class ClientCase(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def members(self, group):
        answer = self.broker.request(38, {"consumerGroup": group})
        if answer.code == 1:
            self.assertIn(f"no consumer for this group, {group}", answer.remark)
            return []
        return sorted(loads(self.assert_code(answer, 0).body)["consumerIdList"])

    def join(self, group, client, connection=None, topic="TBW102", **options):
        connection = connection or self.connect()
        self.assert_code(calls.heartbeat(connection, client, group, [calls.subscription(topic)], **options), 0)
        return connection


class Heartbeats(ClientCase):
    def test_answer(self):
        answer = calls.heartbeat(self.broker, "raw@1", producers=["PG"])
        self.assert_code(answer, 0)
        self.assertEqual("true", answer.ext["IS_SUPPORT_HEART_BEAT_V2"])
        self.assertIn("IS_SUB_CHANGE", answer.ext)
        self.assertGreaterEqual(answer.version, 232)  # Else Java consumers refuse other filters than tags.

    def test_it_creates_group_and_retry_topic(self):
        group = self.name("group")
        self.join(group, "raw@1")
        self.assertIn(group, loads(self.broker.request(201).body)["subscriptionGroupTable"])
        config = loads(self.assert_code(self.broker.request(351, {"topic": f"%RETRY%{group}"}), 0).body)
        self.assertEqual((1, 1, 6), tuple(config[name] for name in ("readQueueNums", "writeQueueNums", "perm")))
        self.eventually("the retry topic is routable", lambda: self.connect_namesrv().request(
            105, {"topic": f"%RETRY%{group}"}).code == 0)

    def test_p02_odd_versions_are_served(self):
        """P02: -1 and 0xFFFF count as the oldest."""
        for form, version in (("JSON", -1), ("ROCKETMQ", 0xFFFF), ("JSON", 2**31 - 1), ("JSON", -2**31), ("ROCKETMQ", 0x8000)):
            with self.subTest(form, version=version):
                group, connection = self.name("group"), self.connect(form=form)
                self.join(group, "raw@odd", connection, version=version)
                self.assertEqual(["raw@odd"], self.members(group))
                answer = connection.request(203, {"consumerGroup": group}, version=version)
                if answer.code != 3:  # Not served yet.
                    self.assertEqual(1, len(loads(self.assert_code(answer, 0).body)["connectionSet"]))

    def test_bad_group_names_are_ignored(self):
        """A blank in a retry topic's name would ruin compressed registrations."""
        self.assert_code(calls.heartbeat(self.broker, "raw@1", "bad group!", [calls.subscription("TBW102")]), 0)
        self.assertEqual([], self.members("bad group!"))
        self.assertNotIn("%RETRY%bad group!", loads(self.broker.request(21).body)["topicConfigTable"])

    def test_lenient_bodies(self):
        base = calls.heartbeat_body("raw@5", "G", [calls.subscription("TBW102")])
        ordinals = json.loads(json.dumps(base))
        ordinals["consumerDataSet"][0].update(consumeFromWhere=0, consumeType=1, messageModel=1, groupName=self.name("g"))
        ordinals["consumerDataSet"][0]["subscriptionDataSet"][0]["subVersion"] = "123"
        lower = json.loads(json.dumps(base))
        lower["consumerDataSet"][0].update(messageModel="clustering", groupName=self.name("g"))
        strange = json.loads(json.dumps(base))
        strange["consumerDataSet"][0].update(consumeType="NO_SUCH_TYPE", groupName=self.name("g"), unitMode="true")
        bodies = {
            "empty object": "{}", "only an id": '{"clientID":"raw@5"}', "ordinals": json.dumps(ordinals),
            "lower case": json.dumps(lower), "unknown enum, bool as text": json.dumps(strange),
            "single quotes": "{'clientID':'raw@5','consumerDataSet':[],'producerDataSet':[]}",
            "trailing commas": '{"clientID":"raw@5","consumerDataSet":[],"producerDataSet":[],}',
            "comment": '{/*c*/"clientID":"raw@5","consumerDataSet":[]}',
            "white space": ' {"clientID":"raw@5" ,\n "consumerDataSet" : [ ] } ',
            "unknown members": '{"clientID":"raw@5","foo":{"a":[1,{"b":2}]},"consumerDataSet":[]}',
            "number as id": '{"clientID":55,"consumerDataSet":[],"producerDataSet":[]}',
        }
        for what, body in bodies.items():
            with self.subTest(what):
                self.assert_code(self.broker.request(34, {}, body), 0)
        for data in (ordinals, lower, strange):
            self.assertEqual(["raw@5"], self.members(data["consumerDataSet"][0]["groupName"]))

    def test_bodies_refused(self):
        for body in (b"", b"garbage", b"[]", b'{"clientID":"x"', b'{"consumerDataSet":[],"producerDataSet":[{"groupName":"PG"}]}'):
            with self.subTest(body):
                self.assert_fails(self.broker.request(34, {}, body))
        self.assertEqual("", self.broker.request(30, {"topic": "TBW102", "queueId": "0"}).remark or "")


class Members(ClientCase):
    def test_joining_and_leaving(self):
        group = self.name("group")
        self.assertEqual([], self.members(group))
        one, two = self.join(group, "raw@1"), self.join(group, "raw@2")
        self.assertEqual(["raw@1", "raw@2"], self.members(group))
        self.assert_code(one.request(35, {"clientID": "raw@1", "consumerGroup": group}), 0)
        self.assertEqual(["raw@2"], self.members(group))
        two.close()
        self.eventually("closing is leaving", lambda: self.members(group) == [], 5)

    def test_a_repeated_heartbeat_adds_nothing(self):
        group = self.name("group")
        one = self.join(group, "raw@1")
        for _ in range(3):
            self.join(group, "raw@1", one)
        self.assertEqual(["raw@1"], self.members(group))

    def test_leaving_what_one_never_joined(self):
        for fields in ({}, None, {"clientID": "nobody", "consumerGroup": "NoSuchGroup"}, {"clientID": "x", "producerGroup": "p"}):
            self.assert_code(self.broker.request(35, fields), 0)

    def test_missing_group(self):
        self.assert_fails(self.broker.request(38, {}))

    def test_several_groups_on_one_connection(self):
        one, two = self.name("group"), self.name("group")
        connection = self.join(one, "raw@1")
        self.join(two, "raw@1", connection)
        self.assertEqual((["raw@1"], ["raw@1"]), (self.members(one), self.members(two)))
        connection.request(35, {"clientID": "raw@1", "consumerGroup": one})
        self.assertEqual(([], ["raw@1"]), (self.members(one), self.members(two)))


class ChangeNotices(ClientCase):
    def notice(self, connection, group, timeout=3):
        command = connection.callback(CHANGED, timeout)
        self.assertEqual({"consumerGroup": group}, command.ext)
        self.assertEqual(2, command.flag, "one-way, and no answer")

    def test_ones_own_notice_comes_before_the_answer(self):
        group, connection = self.name("group"), self.connect()
        connection.send(Command(34, {}, json.dumps(calls.heartbeat_body("raw@1", group, [calls.subscription("TBW102")]))))
        first, second = connection.read(), connection.read()
        self.assertEqual((CHANGED, False), (first.code, first.is_response))
        self.assertEqual(group, first.ext["consumerGroup"])
        self.assertTrue(second.is_response)

    def test_all_members_hear_of_joining_and_leaving(self):
        group = self.name("group")
        one = self.join(group, "raw@1")
        self.notice(one, group)
        two = self.join(group, "raw@2")
        self.notice(one, group)
        self.notice(two, group)
        two.request(35, {"clientID": "raw@2", "consumerGroup": group})
        self.notice(one, group)
        three = self.join(group, "raw@3")
        self.notice(one, group)
        three.close()
        self.notice(one, group, 5)

    def test_a_changed_subscription_is_told_an_equal_one_not(self):
        group, topic = self.name("group"), self.topic(self.broker)
        one = self.join(group, "raw@1")
        self.notice(one, group)
        self.join(group, "raw@1", one)
        self.assertTrue(one.silent(0.3), "a notice without a change")
        subscriptions = [calls.subscription("TBW102"), calls.subscription(topic)]
        self.assert_code(calls.heartbeat(one, "raw@1", group, subscriptions), 0)
        self.notice(one, group)

    def test_broadcasting_groups_are_not_told(self):
        group = self.name("group")
        one = self.join(group, "raw@1", model="BROADCASTING")
        self.join(group, "raw@2", model="BROADCASTING")
        self.assertTrue(one.silent(0.3) and not one.callbacks)

    def test_switched_off_by_the_group(self):
        group = self.group(self.broker, notifyConsumerIdsChangedEnable=False)
        one = self.join(group, "raw@1")
        self.join(group, "raw@2")
        self.assertTrue(one.silent(0.3) and not one.callbacks)


class SubscriptionChecks(ClientCase):
    def check(self, **subscription):
        return self.broker.request(46, {}, json.dumps({"clientId": "raw@1", "group": "g", "subscriptionData": {
            **calls.subscription("TBW102"), **subscription}}))

    def test_tags_are_always_fine(self):
        self.assert_code(self.check(), 0)
        self.assert_code(self.check(subString="A||B"), 0)
        self.assert_code(self.check(expressionType=None), 0)
        self.assert_code(self.broker.request(46, {}), 0)

    def test_sql_needs_its_switch(self):
        self.assert_code(self.check(expressionType="SQL92", subString="a > 1"), 1,
                         "The broker does not support consumer to filter message by SQL92")


if __name__ == "__main__":
    unittest.main()
