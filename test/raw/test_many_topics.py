"""P48: 60 000 topics on one broker are all routable; no frame passes the limit, also after a restart."""

import json
import random
import unittest

import servers
from case import RawCase
from fastjson import loads
from registrations import topic_config

COUNT, CHUNK = 60_000, 2000


class ManyTopics(RawCase):
    def setUp(self):
        if servers.is_external():
            self.skipTest("needs a server of its own")
        if servers.is_apache():
            self.skipTest("Apache 5.5.0 does otherwise: the registration passes the frame limit")

    def test_p48(self):
        server = self.own_server()
        broker = self.connect(server)
        names = [f"many-topics-with-a-longer-name-{index:06}" for index in range(COUNT)]
        for start in range(0, COUNT, CHUNK):
            body = json.dumps({"topicConfigList": [topic_config(name, 1, 1) for name in names[start:start + CHUNK]]})
            self.assert_code(broker.request(18, {}, body, timeout=60), 0)
        seed = random.randrange(1 << 32)
        chosen = random.Random(seed).sample(names, 100)
        with self.subTest(seed=seed):
            self.check(server, chosen)
            self.assertEqual(0, server.stop())
            again = server.restart()
            self.addCleanup(again.kill)
            self.check(again, chosen)

    def check(self, server, topics):
        registry = self.connect_namesrv(server, timeout=30)
        for topic in topics:
            self.eventually(f"{topic} is routable", lambda: registry.request(105, {"topic": topic}).code == 0, 60)
        everything = loads(self.assert_code(registry.request(206, timeout=60), 0).body)["topicList"]
        self.assertEqual(COUNT, sum(name.startswith("many-topics-") for name in everything))
        broker, seen, version = self.connect(server, timeout=30), 0, ""
        while True:
            answer = broker.request(21, {"topicSeq": str(seen), "maxTopicNum": "2000", "dataVersion": version})
            page = loads(self.assert_code(answer, 0).body)
            if not page["topicConfigTable"]:
                break
            seen, version = seen + len(page["topicConfigTable"]), json.dumps(page["dataVersion"])
        self.assertEqual(seen, answer.number("totalTopicNum"))
        self.assertGreater(seen, COUNT)


if __name__ == "__main__":
    unittest.main()
