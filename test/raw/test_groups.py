"""Subscription groups: create, change, list, page, delete (200, 201, 207, 225, 352)."""

import json
import unittest

import calls
from case import RawCase, unlike_apache
from fastjson import loads


class Groups(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()

    def config(self, group):
        return loads(self.assert_code(self.broker.request(352, {"group": group}), 0).body)

    def table(self, **fields):
        answer = self.assert_code(self.broker.request(201, fields or None), 0)
        return loads(answer.body), answer

    def test_what_was_asked_is_stored(self):
        group = self.name("group")
        wanted = dict(retryMaxTimes=3, retryQueueNums=2, consumeEnable=False, consumeBroadcastEnable=False,
                      consumeFromMinEnable=False, whichBrokerWhenConsumeSlowly=2, notifyConsumerIdsChangedEnable=False)
        self.assert_code(calls.create_group(self.broker, group, **wanted), 0)
        config = self.config(group)
        self.assertEqual({**wanted, "groupName": group}, {name: config[name] for name in (*wanted, "groupName")})
        self.assert_code(calls.create_group(self.broker, group, retryMaxTimes=5), 0)
        self.assertEqual((5, True), (self.config(group)["retryMaxTimes"], self.config(group)["consumeEnable"]))

    def test_defaults(self):
        group = self.name("group")
        self.assert_code(self.broker.request(200, {}, json.dumps({"groupName": group})), 0)
        config = self.config(group)
        wanted = {"brokerId": 0, "consumeBroadcastEnable": True, "consumeEnable": True, "consumeFromMinEnable": True,
                  "consumeMessageOrderly": False, "consumeTimeoutMinute": 15, "groupName": group, "groupSysFlag": 0,
                  "notifyConsumerIdsChangedEnable": True, "retryMaxTimes": 16, "retryQueueNums": 1,
                  "whichBrokerWhenConsumeSlowly": 1, "attributes": {}}
        self.assertEqual(wanted, {name: config.get(name) for name in wanted})

    def test_names(self):
        self.assert_code(calls.create_group(self.broker, "bad group!"), 29, "bad group!, contains illegal characters")
        self.assert_code(calls.create_group(self.broker, ""), 29, "The specified group is blank.")
        for length, code in ((120, 0), (121, 29), (255, 29)):
            self.assert_code(calls.create_group(self.broker, "g" * length), code, *(["120"] if code else []))
        for group in ("TOOLS_CONSUMER", "CID_RMQ_SYS_X"):
            self.assert_code(calls.create_group(self.broker, group), 0)

    def test_empty_and_broken_bodies(self):
        self.assert_code(self.broker.request(200, {}), 0)
        for body in ("{", "garbage", "[]"):
            self.assert_fails(self.broker.request(200, {}, body))

    def test_lists(self):
        one, two = self.name("one"), self.name("two")
        body = {"groupConfigList": [calls.group_config(one, retryMaxTimes=2), calls.group_config(two)]}
        self.assert_code(self.broker.request(225, {}, json.dumps(body)), 0)
        self.assertEqual((2, 16), (self.config(one)["retryMaxTimes"], self.config(two)["retryMaxTimes"]))
        body["groupConfigList"] = [calls.group_config("bad g!")]
        self.assert_code(self.broker.request(225, {}, json.dumps(body)), 29, "bad g!")
        self.assert_fails(self.broker.request(225, {}))

    def test_an_unknown_group_is_created_when_asked_for(self):
        group = self.name("group")
        self.assertEqual(group, self.config(group)["groupName"])
        self.assertIn(group, self.table()[0]["subscriptionGroupTable"])

    def test_without_auto_creation(self):
        server = self.own_server(autoCreateSubscriptionGroup=False)
        self.broker, group = self.connect(server), self.name("group")
        self.assert_code(self.broker.request(352, {"group": group}), 26, "No group in this broker")
        topic = self.topic(self.broker)
        self.assert_code(calls.pull(self.broker, group, topic), 26)
        self.assert_code(calls.heartbeat(self.broker, "raw@1", group, [calls.subscription(topic)]), 0)
        self.assert_code(self.broker.request(38, {"consumerGroup": group}), 1)
        self.assert_code(calls.send(self.broker, f"%RETRY%{group}"), 26, f"subscription group not exist, {group}")
        self.assertNotIn(group, self.table()[0]["subscriptionGroupTable"])

    def delete(self, clean):
        """The code of a query for the position of a group that was deleted."""
        group, topic = self.group(self.broker), self.topic(self.broker)
        stored = {"consumerGroup": group, "topic": topic, "queueId": "0"}
        self.assert_code(self.broker.request(15, {**stored, "commitOffset": "5"}), 0)
        self.assert_code(self.broker.request(207, {"groupName": group, "cleanOffset": clean}), 0)
        self.assertNotIn(group, self.table()[0]["subscriptionGroupTable"])
        return self.broker.request(14, {**stored, "setZeroIfNotFound": "false"}).code

    def test_delete_with_positions(self):
        self.assertEqual(22, self.delete("true"))

    @unlike_apache("the group is there again at once: the handler looks it up, which creates it")
    def test_delete_without_positions(self):
        self.assertEqual(0, self.delete("false"))

    def test_delete_unknown(self):
        self.assert_code(self.broker.request(207, {"groupName": "NoSuchGroup", "cleanOffset": "true"}), 0)

    def test_table_and_pages(self):
        groups = sorted(self.group(self.broker) for _ in range(5))
        whole, answer = self.table()
        everything = sorted(whole["subscriptionGroupTable"])
        self.assertLessEqual(set(groups), set(everything))
        self.assertEqual(len(everything), answer.number("totalGroupNum"))
        self.assertLessEqual({"counter", "timestamp", "stateVersion"}, set(whole["dataVersion"]))
        version, seen = "", []
        while True:
            page, answer = self.table(groupSeq=str(len(seen)), maxGroupNum="4", dataVersion=version)
            if not page["subscriptionGroupTable"]:
                break
            self.assertLessEqual(len(page["subscriptionGroupTable"]), 4)
            seen += sorted(page["subscriptionGroupTable"])
            version = json.dumps(page["dataVersion"])
        self.assertEqual(everything, seen)


if __name__ == "__main__":
    unittest.main()
