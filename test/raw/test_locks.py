"""Queue locks of orderly consumers (41, 42). Expiry after 60 s is not waited for here."""

import json
import unittest

import calls
from case import RawCase, unlike_apache
from fastjson import loads

LOCK, UNLOCK = 41, 42


class Locks(RawCase):
    def setUp(self):
        super().setUp()
        self.broker = self.connect()
        self.group_name, self.topic_name = self.group(self.broker), self.topic(self.broker, read=4, write=4)

    def lock(self, client, queues, group=None, connection=None):
        """Queue ids of our topic that the client holds after asking."""
        body = calls.lock_body(client, group or self.group_name, [(self.topic_name, queue) for queue in queues],
                               self.server.name)
        answer = self.assert_code((connection or self.broker).request(LOCK, {}, body), 0)
        found = loads(answer.body)["lockOKMQSet"]
        self.assertTrue(all((queue["topic"], queue["brokerName"]) == (self.topic_name, self.server.name) for queue in found))
        return sorted(queue["queueId"] for queue in found)

    def unlock(self, client, queues):
        body = calls.lock_body(client, self.group_name, [(self.topic_name, queue) for queue in queues], self.server.name)
        return self.assert_code(self.broker.request(UNLOCK, {}, body), 0)

    def test_the_first_gets_them_the_second_the_rest(self):
        self.assertEqual([0, 1], self.lock("c1", [0, 1]))
        self.assertEqual([2, 3], self.lock("c2", [0, 1, 2, 3]))
        self.assertEqual([0, 1], self.lock("c1", [0, 1, 2, 3]))

    def test_asking_again_keeps_them(self):
        for _ in range(3):
            self.assertEqual([0], self.lock("c1", [0]))

    def test_unlock_frees_for_the_other(self):
        self.lock("c1", [0, 1])
        self.unlock("c1", [0])
        self.assertEqual([0], self.lock("c2", [0, 1]))

    def test_only_the_owner_can_unlock(self):
        self.lock("c1", [0])
        self.unlock("c2", [0])
        self.assertEqual([], self.lock("c2", [0]))

    def test_groups_do_not_see_each_other(self):
        self.assertEqual([0], self.lock("c1", [0]))
        self.assertEqual([0], self.lock("c2", [0], self.group(self.broker)))

    def test_an_empty_set(self):
        self.assertEqual([], self.lock("c1", []))

    def test_the_owner_is_the_client_not_its_connection(self):
        other = self.connect()
        self.lock("c1", [0])
        self.assertEqual([0], self.lock("c1", [0], connection=other))
        other.close()
        self.assertEqual([], self.lock("c2", [0]))

    def test_one_way_unlock(self):
        self.lock("c1", [0])
        self.broker.oneway(UNLOCK, {}, calls.lock_body("c1", self.group_name, [(self.topic_name, 0)], self.server.name))
        self.eventually("the lock is free", lambda: self.lock("c2", [0]) == [0])

    def test_p04_broken_bodies(self):
        """P04: an error with a remark; a valid request on the same connection succeeds after that."""
        for code in (LOCK, UNLOCK):
            for body in (b"", b"{", b"garbage", b"[]"):
                with self.subTest(code, body=body):
                    self.assert_fails(self.broker.request(code, {}, body))
        self.assertEqual([0], self.lock("c1", [0]))

    @unlike_apache("it locks for a client called null, which then breaks every request for that queue")
    def test_p04_bodies_without_group_or_client(self):
        body = {"consumerGroup": self.group_name, "clientId": "c1",
                "mqSet": [{"brokerName": self.server.name, "queueId": 0, "topic": self.topic_name}]}
        for code in (LOCK, UNLOCK):
            for missing in ("consumerGroup", "clientId"):
                with self.subTest(code, missing=missing):
                    some = {name: value for name, value in body.items() if name != missing}
                    self.assert_fails(self.broker.request(code, {}, json.dumps(some)))
        self.assertEqual([0], self.lock("c1", [0]))



if __name__ == "__main__":
    unittest.main()
