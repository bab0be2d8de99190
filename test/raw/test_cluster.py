"""Name servers and brokers as processes of their own: registration, re-registration, leaving."""

import unittest

import calls
import servers
from case import RawCase
from fastjson import loads


class Cluster(RawCase):
    def setUp(self):
        if servers.is_external():
            self.skipTest("needs servers of its own")

    def start_namesrv(self, **settings):
        namesrv = servers.start_namesrv(settings)
        self.addCleanup(namesrv.process.kill)
        return namesrv

    def start_broker(self, *namesrvs, **settings):
        address = ";".join("%s:%d" % namesrv.address for namesrv in namesrvs)
        broker = servers.start_broker(namesrvs[0], {"namesrvAddr": address, **settings})
        self.addCleanup(broker.process.kill)
        return broker

    def brokers(self, namesrv, topic=None):
        """Names of all brokers, or of those in a topic's route."""
        with namesrv.connect() as registry:
            if topic is None:
                return sorted(loads(registry.request(106).body)["brokerAddrTable"])
            answer = registry.request(105, {"topic": topic})
            if answer.code == 17:
                return []
            return sorted(data["brokerName"] for data in loads(self.assert_code(answer, 0).body)["brokerDatas"])

    def test_p20_delete_on_one_of_two_brokers(self):
        """P20: within one registration period the route lists only the other."""
        namesrv, topic = self.start_namesrv(), self.name("topic")
        pair = [self.start_broker(namesrv, brokerName=name) for name in ("pair-a", "pair-b")]
        for broker in pair:
            self.assert_code(calls.create_topic(self.connect(broker), topic), 0)
        self.eventually("both are in the route", lambda: self.brokers(namesrv, topic) == ["pair-a", "pair-b"])
        self.assert_code(self.connect(pair[0]).request(215, {"topic": topic}), 0)
        if servers.is_apache():
            return  # There it never leaves the route: that is the defect.
        self.eventually("only the other is left", lambda: self.brokers(namesrv, topic) == ["pair-b"], 60)

    def test_a_clean_stop_unregisters_and_a_kill_is_noticed(self):
        namesrv = self.start_namesrv()
        first, second = (self.start_broker(namesrv, brokerName=name) for name in ("first", "second"))
        self.assertEqual(["first", "second"], self.brokers(namesrv))
        self.assertEqual(0, first.process.stop())
        self.eventually("the stopped one is gone", lambda: self.brokers(namesrv) == ["second"], 5)
        second.process.kill()
        self.eventually("the killed one is gone", lambda: self.brokers(namesrv) == [], 5)

    def test_every_name_server_hears_of_a_new_topic(self):
        one, two = self.start_namesrv(), self.start_namesrv()
        broker, topic = self.start_broker(one, two, brokerName="both"), self.name("topic")
        self.assertEqual(["both"], self.brokers(one))
        self.eventually("the second one has it", lambda: self.brokers(two) == ["both"])
        self.assert_code(calls.send(self.connect(broker), topic), 0)
        for namesrv in (one, two):
            self.eventually("it is routable", lambda: self.brokers(namesrv, topic) == ["both"])

    def test_a_name_server_that_comes_back_is_told_everything_again(self):
        one, port = self.start_namesrv(), servers.free_port()
        two = self.start_namesrv(listenPort=port)
        broker, topic = self.start_broker(one, two, brokerName="both"), self.name("topic")
        two.process.kill()
        self.assert_code(calls.create_topic(self.connect(broker), topic), 0)
        self.eventually("the living one knows", lambda: self.brokers(one, topic) == ["both"])
        again = self.start_namesrv(listenPort=port)
        self.eventually("the restarted one knows", lambda: self.brokers(again, topic) == ["both"], 45)

    def test_a_broker_starts_without_its_name_server_and_finds_it_later(self):
        port, folder = servers.free_port(), servers.new_folder()
        address = "127.0.0.1:%d" % port
        if servers.is_apache():
            self.skipTest("Apache 5.5.0 does otherwise: slow to give up at start")
        config = servers.write_config(folder / "lonely.conf", {
            **servers.broker_settings({"brokerName": "lonely"}, folder / "store"), "namesrvAddr": address})
        process = servers.Process("lonely", [servers.need_binary(), "broker", "-c", config], folder)
        self.addCleanup(process.kill)
        process.wait_until("the ready line", lambda: servers.ready(process, "broker"))
        namesrv = self.start_namesrv(listenPort=port)
        self.eventually("it registers", lambda: self.brokers(namesrv) == ["lonely"], 45)


if __name__ == "__main__":
    unittest.main()
