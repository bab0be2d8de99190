"""What a server knows after a clean stop and after kill -9."""

import shutil
import signal
import unittest

import calls
import records
import servers
from case import RawCase
from fastjson import loads
from remoting_client import Command

READER = "CID_RMQ_SYS_raw"


def read_queue(connection, topic, queue=0, offset=0):
    """Every record from `offset` to the end, by pulls."""
    found = []
    while True:
        answer = calls.pull(connection, READER, topic, offset, queue=queue, count=1000)
        if answer.code not in (0, 20, 21):
            return found
        found += records.decode_records(answer.body)
        if answer.number("nextBeginOffset") == offset:
            return found
        offset = answer.number("nextBeginOffset")


class RestartCase(RawCase):
    def setUp(self):
        if servers.is_external():
            self.skipTest("needs a server of its own")

    def restart(self, server):
        again = server.restart()
        self.addCleanup(again.kill)
        return again


class Restarts(RestartCase):
    def fill_server(self, server):
        """Messages, topics, groups and positions; returns what must be found again."""
        broker = self.connect(server)
        self.assert_code(calls.create_topic(broker, "TopicA", read=2, write=2, attributes="+message.type=FIFO"), 0)
        self.assert_code(calls.create_group(broker, "GroupA", retryMaxTimes=4), 0)
        for index in range(200):
            self.assert_code(calls.send(broker, "TopicA", b"a" * index + b".", index % 2, {"KEYS": f"k{index}", "ä": "ö"}), 0)
        self.assert_code(calls.send_batch(broker, "TopicB", records.encode_batch([(b"1", ""), (b"2", "TAGS\x01T\x02")])), 0)
        self.assert_code(calls.send(broker, "TopicBig", bytes(1 << 20)), 0)
        for queue, offset in ((0, 17), (1, 93)):
            self.assert_code(broker.request(15, {"consumerGroup": "GroupA", "topic": "TopicA", "queueId": str(queue),
                                                 "commitOffset": str(offset)}), 0)
        return self.state(server)

    def state(self, server):
        broker = self.connect(server)
        topics = loads(self.assert_code(broker.request(21), 0).body)["topicConfigTable"]
        found = {"topics": topics, "positions": [
            self.assert_code(broker.request(14, {"consumerGroup": "GroupA", "topic": "TopicA", "queueId": str(queue)}), 0)
            .ext["offset"] for queue in (0, 1)]}
        for topic in ("TopicA", "TopicB", "TopicBig"):
            for queue in range(topics[topic]["readQueueNums"]):
                found[topic, queue] = [record.bytes for record in read_queue(broker, topic, queue)]
        self.assertEqual((100, 100), (len(found["TopicA", 0]), len(found["TopicA", 1])))
        # Only now: the reader's group came into being with the first pull.
        found["groups"] = loads(self.assert_code(broker.request(201), 0).body)["subscriptionGroupTable"]
        return found

    def assert_same_state(self, before, after):
        self.assertEqual(before.keys(), after.keys())
        for part in before:
            # Compared by hand: a diff of megabytes helps nobody.
            self.assertTrue(before[part] == after[part], f"{part}: {str(before[part])[:600]}\nbecame {str(after[part])[:600]}")

    def test_clean_stop(self):
        server = self.own_server()
        before = self.fill_server(server)
        self.assertEqual(0, server.stop(), "exit code")
        self.check_store(server)
        again = self.restart(server)
        self.assert_same_state(before, self.state(again))
        broker = self.connect(again)
        self.assertEqual("100", self.assert_code(calls.send(broker, "TopicA"), 0).ext["queueOffset"])
        self.assertEqual(0, again.stop())
        self.check_store(again)

    def test_kill(self):
        """kill -9 loses nothing that was acknowledged, also with asynchronous flush. Positions may be some seconds old."""
        server = self.own_server(flushDiskType="ASYNC_FLUSH")
        before = self.fill_server(server)
        server.kill()
        code, text = servers.check_store(server.store)
        self.assertEqual(0, code, text)
        again = self.restart(server)
        after = self.state_without_positions(again)
        before.pop("positions")
        self.assert_same_state(before, after)
        again.stop()
        self.check_store(again)

    def state_without_positions(self, server):
        broker = self.connect(server)
        for queue in (0, 1):  # So that state() finds some.
            broker.request(15, {"consumerGroup": "GroupA", "topic": "TopicA", "queueId": str(queue), "commitOffset": "1"})
        state = self.state(server)
        state.pop("positions")
        return state

    def test_interrupt_is_a_clean_stop_too(self):
        server = self.own_server()
        self.assert_code(calls.send(self.connect(server), "TopicA"), 0)
        server.process.child.send_signal(signal.SIGINT)
        if servers.is_apache():
            server.process.child.wait(60)
        else:
            self.assertEqual(0, server.process.child.wait(30))
        self.check_store(server)

    def test_a_stop_with_held_pulls_and_open_connections_is_quick(self):
        server = self.own_server()
        broker = self.connect(server)
        topic = self.topic(broker)
        for _ in range(10):
            broker.send(Command(11, calls.pull_fields(READER, topic, hold=30000)))
        self.assertTrue(broker.silent(0.2))
        self.assertEqual(0, server.process.stop(seconds=60 if servers.is_apache() else 10))

    def test_p16_the_answer_does_not_flip_over_a_restart(self):
        server = self.own_server()
        broker = self.connect(server)
        self.fill(broker, self.topic_named(broker, "TopicA"), 3)
        first = self.six(broker)
        server.stop()
        again = self.restart(server)
        self.assertEqual(first, self.six(self.connect(again)))

    def topic_named(self, broker, name):
        self.assert_code(calls.create_topic(broker, name), 0)
        return name

    def six(self, broker, topic="TopicA"):
        """(code, offset) for setZeroIfNotFound absent, true, false."""
        found = []
        for zero in (None, "true", "false"):
            fields = {"consumerGroup": "unknown", "topic": topic, "queueId": "0"}
            answer = broker.request(14, fields if zero is None else {**fields, "setZeroIfNotFound": zero})
            found.append((answer.code, (answer.ext or {}).get("offset")))
        return found

    def test_p14_p16_after_the_start_of_a_queue_is_gone(self):
        """The oldest log files are taken away while the server is down; then the minimum is above 0: pulls below it and
        beyond the end are corrected (P14), a position never stored is 22 in all three ways of asking (P16)."""
        server = self.own_server(mappedFileSizeCommitLog=65536, mappedFileSizeConsumeQueue=20 * 100)
        broker = self.connect(server)
        topic = self.topic_named(broker, "TopicA")
        self.fill(broker, topic, 1500)
        self.assertEqual([(0, "0"), (0, "0"), (22, None)], self.six(broker))
        found = read_queue(broker, topic)
        self.assertEqual(0, server.stop())

        gone = sorted((server.store / "commitlog").iterdir())[:3]
        first = next(record.queue_offset for record in found if record.log_offset >= 3 * 65536)
        for path in gone:
            path.unlink()
        for path in sorted((server.store / "consumequeue" / topic / "0").iterdir())[:first // 100]:
            path.unlink()
        again = self.restart(server)
        broker = self.connect(again)
        self.assert_number(broker.request(31, {"topic": topic, "queueId": "0"}), "offset", first)
        for offset, code, next_offset in ((0, 21, first), (first - 1, 21, first), (-5, 21, first), (1500, 19, 1500),
                                          (1501, 21, 1500), (2500, 21, 1500)):
            answer = calls.pull(broker, READER, topic, offset)
            self.assertEqual((code, next_offset, first, 1500), (answer.code, *(answer.number(name) for name in (
                "nextBeginOffset", "minOffset", "maxOffset"))), f"pull at {offset}: {answer.remark}")
        self.assertEqual([record.bytes for record in found[first:]],
                         [record.bytes for record in read_queue(broker, topic, 0, first)])
        self.assertEqual([(22, None)] * 3, self.six(broker))
        again.stop()
        self.check_store(again)

    def test_a_damaged_queue_file_is_made_again_from_the_log(self):
        server = self.own_server()
        broker = self.connect(server)
        topic = self.topic_named(broker, "TopicA")
        self.fill(broker, topic, 50)
        before = [record.bytes for record in read_queue(broker, topic)]
        server.stop()  # Queue files are written behind; a stop completes them.
        self.restart(server).kill()
        shutil.rmtree(server.store / "consumequeue" / topic)
        again = self.restart(server)
        self.assertEqual(before, [record.bytes for record in read_queue(self.connect(again), topic)])


if __name__ == "__main__":
    unittest.main()
