"""The name server: routes, registrations, key-value settings, configuration."""

import json
import time
import unittest

from case import RawCase, unlike_apache
from fastjson import loads
from registrations import FakeBroker, compressed_body, data_version, topic_config

NO_ROUTE = "No topic route info in name server for the topic: "


class NameServerCase(RawCase):
    ports = iter(range(40001, 65000, 2))

    def setUp(self):
        super().setUp()
        self.registry = self.connect_namesrv()

    def fake(self, name=None, connection=None, **options):
        options.setdefault("address", f"127.0.0.1:{next(NameServerCase.ports)}")
        return FakeBroker(connection or self.connect_namesrv(), name or self.name("broker"), **options)

    def route(self, topic, **header):
        return self.registry.request(105, {"topic": topic}, **header)

    def brokers_of(self, topic):
        """Broker name → addresses by id, empty when there is no route."""
        answer = self.route(topic)
        if answer.code == 17:
            return {}
        return {data["brokerName"]: data["brokerAddrs"] for data in loads(self.assert_code(answer, 0).body)["brokerDatas"]}

    def queue_data(self, topic):
        return loads(self.assert_code(self.route(topic), 0).body)["queueDatas"]

    def topics(self, code=206, fields=None):
        return loads(self.assert_code(self.registry.request(code, fields), 0).body)["topicList"]


class Routes(NameServerCase):
    def test_unknown_topic_is_17_with_the_text_users_search_for(self):
        for topic in ("NoSuchTopic", "", "Täst"):
            self.assert_code(self.route(topic), 17, NO_ROUTE + topic, "06FAQ")
        self.assert_code(self.registry.request(105, {}), 17, NO_ROUTE)
        self.assert_code(self.registry.request(105), 17, NO_ROUTE)

    def test_route_has_the_members_clients_read(self):
        route = json.loads(self.assert_code(self.route("TBW102"), 0).body)
        data, = [data for data in route["brokerDatas"] if data["brokerName"] == self.server.name]
        self.assertEqual({"0": "%s:%d" % self.server.address}, data["brokerAddrs"])
        self.assertEqual(self.server.cluster, data["cluster"])
        self.assertIs(False, data["enableActingMaster"])
        self.assertEqual({}, route["filterServerTable"])
        queues, = [queues for queues in route["queueDatas"] if queues["brokerName"] == self.server.name]
        self.assertEqual({"brokerName": self.server.name, "perm": 7, "readQueueNums": 8, "writeQueueNums": 8,
                          "topicSysFlag": 0}, queues)

    def test_route_json_is_compact(self):
        """The Go client takes the address map apart by commas and colons."""
        for version in (513, 399):
            self.assertNotIn(b" ", self.assert_code(self.route("TBW102", version=version), 0).body)

    def test_new_clients_get_strict_json(self):
        for version, fields in ((513, {}), (401, {}), (399, {"acceptStandardJsonOnly": "true"})):
            answer = self.registry.request(105, {"topic": "TBW102", **fields}, version=version)
            json.loads(self.assert_code(answer, 0).body)

    def test_old_clients_can_read_the_route_too(self):
        """Bare integer keys at Apache; quoted ones serve every client as well."""
        for version in (0, 121, 317, 399):
            route = loads(self.assert_code(self.route("TBW102", version=version), 0).body)
            self.assertEqual(["0"], list(route["brokerDatas"][0]["brokerAddrs"]))

    def test_system_topics_of_a_broker_are_routable(self):
        for topic in ("TBW102", "SELF_TEST_TOPIC", "BenchmarkTest", "OFFSET_MOVED_EVENT", "SCHEDULE_TOPIC_XXXX",
                      self.server.cluster, self.server.name, f"{self.server.cluster}_REPLY_TOPIC",
                      "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
                      f"rmq_sys_SYNC_BROKER_MEMBER_{self.server.name}"):
            with self.subTest(topic):
                self.assertIn(self.server.name, self.brokers_of(topic))


class Registration(NameServerCase):
    def test_plain_body(self):
        broker, one, two = self.fake(), self.name("one"), self.name("two")
        self.assert_code(broker.register([topic_config(one, 3, 5, 4, 1), two]), 0)
        self.assertEqual([{"brokerName": broker.identity["brokerName"], "perm": 4, "readQueueNums": 3,
                           "writeQueueNums": 5, "topicSysFlag": 1}], self.queue_data(one))
        self.assertEqual({broker.identity["brokerName"]: {"0": broker.identity["brokerAddr"]}}, self.brokers_of(two))

    def test_compressed_body(self):
        for header_version, mappings in ((513, True), (403, False)):
            with self.subTest(header_version):
                broker, one, two = self.fake(), self.name("one"), self.name("two")
                body = compressed_body([topic_config(one, 3, 5), topic_config(two, attributes={"message.type": "FIFO"})],
                                       mappings=mappings)
                answer = broker.register([], body=body, compressed=True, header_version=header_version,
                                         **({} if mappings else {"enableActingMaster": None}))
                self.assert_code(answer, 0)
                self.assertEqual((3, 5), (self.queue_data(one)[0]["readQueueNums"], self.queue_data(one)[0]["writeQueueNums"]))
                self.assertTrue(self.brokers_of(two))

    @unlike_apache("code 1: it trusts the flag, which 5.x brokers set wrongly")
    def test_compressed_body_without_the_flag_is_recognised(self):
        broker, one, two = self.fake(), self.name("one"), self.name("two")
        self.assert_code(broker.register([one, two], compressed=True), 0)
        other, three, four = self.fake(), self.name("three"), self.name("four")
        body = compressed_body([topic_config(three), topic_config(four)])
        self.assert_code(other.register([], body=body, compressed=False), 0)
        self.assertTrue(self.brokers_of(three))

    def test_wrong_checksum(self):
        broker, one = self.fake(), self.name("one")
        answer = broker.register([one, self.name("two")], crc=5)
        self.assert_code(answer, 1, "crc32 not match")
        self.assertEqual({}, self.brokers_of(one))

    def test_garbage_bodies(self):
        for body in (b"not json at all", b"\x78\x9cgarbage", b"{", b"[]"):
            for compressed in (False, True):
                with self.subTest(body, compressed=compressed):
                    self.assert_fails(self.fake().register([], body=body, compressed=compressed))

    def test_missing_fields(self):
        self.assert_fails(self.fake().register([self.name("a"), self.name("b")], brokerId=None))

    @unlike_apache("the table then holds a broker without a name")
    def test_missing_names_are_refused(self):
        for field in ("brokerName", "brokerAddr", "clusterName"):
            with self.subTest(field):
                self.assert_fails(self.fake().register([self.name("a"), self.name("b")], **{field: None}))

    def test_a_broker_never_seen_with_exactly_one_topic_is_refused(self):
        """It must have been an incremental registration before a full one."""
        self.assert_code(self.fake().register([self.name("only")]), 1, "register broker failed")

    def test_incremental_registration_adds_to_the_full_one(self):
        broker, one, two, three = self.fake(), self.name("one"), self.name("two"), self.name("three")
        self.assert_code(broker.register([one, two]), 0)
        self.assert_code(broker.register([three], data_version(2, 2)), 0)
        for topic in (one, two, three):
            self.assertTrue(self.brokers_of(topic), topic)

    def test_topic_change_needs_a_changed_data_version(self):
        broker, one, two = self.fake(), self.name("one"), self.name("two")
        broker.register([topic_config(one, 2, 2), two])
        self.assert_code(broker.register([topic_config(one, 9, 9), two]), 0)
        self.assertEqual(2, self.queue_data(one)[0]["readQueueNums"])
        self.assert_code(broker.register([topic_config(one, 9, 9), two], data_version(2, 2)), 0)
        self.assertEqual(9, self.queue_data(one)[0]["readQueueNums"])

    def test_slave_learns_its_master_and_publishes_no_topics(self):
        master, one = self.fake(), self.name("one")
        master.register([one, self.name("two")])
        slave, three = self.fake(master.identity["brokerName"], broker_id=1), self.name("three")
        answer = self.assert_code(slave.register([one, three]), 0)
        self.assertEqual(master.identity["brokerAddr"], answer.ext["masterAddr"])
        host, port = master.identity["brokerAddr"].split(":")
        self.assertEqual(f"{host}:{int(port) + 1}", answer.ext["haServerAddr"])
        self.assertEqual({"0": master.identity["brokerAddr"], "1": slave.identity["brokerAddr"]},
                         self.brokers_of(one)[master.identity["brokerName"]])
        self.assertEqual({}, self.brokers_of(three))

    def test_the_same_address_under_another_id_replaces_the_old_one(self):
        name, address, one = self.name("broker"), "127.0.0.1:39999", self.name("one")
        first = self.fake(name, address=address, broker_id=1)
        first.register([one, self.name("two")])
        second = self.fake(name, address=address, broker_id=0, connection=first.connection)
        self.assert_code(second.register([one, self.name("two")]), 0)
        self.assertEqual({name: {"0": address}}, self.brokers_of(one))

    def test_closing_the_connection_unregisters_at_once(self):
        broker, one = self.fake(), self.name("one")
        broker.register([one, self.name("two")])
        self.assertTrue(self.brokers_of(one))
        broker.connection.close()
        self.eventually("the route is gone", lambda: not self.brokers_of(one), 5)

    def test_a_broker_that_falls_silent_expires_by_scan(self):
        broker, one = self.fake(), self.name("one")
        broker.register([one, self.name("two")], heartbeatTimeoutMillis="1000")
        self.assertTrue(self.brokers_of(one))
        self.eventually("the route is gone", lambda: not self.brokers_of(one), 15)

    def test_heartbeats_keep_a_broker_alive(self):
        broker, one = self.fake(), self.name("one")
        broker.register([one, self.name("two")], heartbeatTimeoutMillis="2000")
        fields = {name: broker.identity[name] for name in ("clusterName", "brokerName", "brokerAddr")}
        for _ in range(10):
            time.sleep(0.8)
            broker.connection.oneway(904, fields)
        self.assertTrue(self.brokers_of(one), "expired in spite of heartbeats")

    def test_unregister(self):
        broker, one = self.fake(), self.name("one")
        broker.register([one, self.name("two")])
        self.assert_code(broker.unregister(), 0)
        self.eventually("the route is gone", lambda: not self.brokers_of(one), 5)
        self.assert_code(broker.unregister(), 0)  # Unknown by now.

    def test_p20_a_topic_deleted_on_one_broker_leaves_only_the_other(self):
        """P20, from the name server's side: the broker registers again, as brokers do after a deletion."""
        a, b, topic = self.fake(), self.fake(), self.name("topic")
        a.register([topic, self.name("other")])
        b.register([topic, self.name("other")])
        self.assertEqual({a.identity["brokerName"], b.identity["brokerName"]}, set(self.brokers_of(topic)))
        self.assert_code(self.registry.request(216, {"topic": topic}), 0)
        self.assert_code(b.register([topic, self.name("other")], data_version(2, 2)), 0)
        self.assertEqual({b.identity["brokerName"]}, set(self.brokers_of(topic)))

    def test_ten_thousand_topics_in_one_registration(self):
        for compressed in (False, True):
            broker, names = self.fake(), [self.name("many") for _ in range(10000)]
            self.assert_code(broker.register(names, compressed=compressed), 0)
            for topic in names[::1000]:
                self.assertTrue(self.brokers_of(topic))
            broker.unregister()

    def test_data_version_query(self):
        broker = self.fake()
        broker.register([self.name("one"), self.name("two")], data_version(7, 99))
        answer = self.registry.request(322, broker.identity, json.dumps(data_version(7, 99)))
        self.assert_code(answer, 0)
        self.assertEqual("false", answer.ext["changed"])
        answer = self.registry.request(322, broker.identity, json.dumps(data_version(8, 99)))
        self.assertEqual("true", answer.ext["changed"])
        self.assertEqual({"counter": 7, "timestamp": 99, "stateVersion": 0}, loads(answer.body))
        answer = self.registry.request(322, broker.identity)
        self.assertEqual("true", self.assert_code(answer, 0).ext["changed"])
        answer = self.registry.request(322, self.fake().identity, json.dumps(data_version()))
        self.assertEqual(("true", b""), (self.assert_code(answer, 0).ext["changed"], answer.body))

    def test_single_topic_registration(self):
        """217 adds queues of brokers that are registered already, of no others."""
        broker, topic = self.fake(), self.name("topic")
        broker.register([self.name("one"), self.name("two")])
        name = broker.identity["brokerName"]
        for who, wanted in (("nobody", []), (name, [name])):
            body = {"brokerDatas": [], "filterServerTable": {}, "queueDatas": [
                {"brokerName": who, "perm": 6, "readQueueNums": 2, "writeQueueNums": 2, "topicSysFlag": 0}]}
            self.assert_code(self.registry.request(217, {"topic": topic}, json.dumps(body)), 0)
            self.assertEqual(wanted, list(self.brokers_of(topic)))


class Lists(NameServerCase):
    def test_cluster_info(self):
        broker = self.fake(cluster=self.name("Cluster"))
        broker.register([self.name("one"), self.name("two")])
        info = loads(self.assert_code(self.registry.request(106), 0).body)
        self.assertEqual([broker.identity["brokerName"]], info["clusterAddrTable"][broker.identity["clusterName"]])
        data = info["brokerAddrTable"][broker.identity["brokerName"]]
        self.assertEqual({"0": broker.identity["brokerAddr"]}, data["brokerAddrs"])
        self.assertEqual(broker.identity["clusterName"], data["cluster"])
        self.assertIn(self.server.name, info["brokerAddrTable"])

    def test_topics_by_cluster(self):
        broker, one = self.fake(cluster=self.name("Cluster")), self.name("one")
        broker.register([one, self.name("two")])
        self.assertIn(one, self.topics())
        self.assertEqual(2, len(self.topics(224, {"cluster": broker.identity["clusterName"]})))
        self.assertIn("TBW102", self.topics(224, {"cluster": self.server.cluster}))
        self.assertEqual([], self.topics(224, {"cluster": "nocluster"}))

    def test_system_topics_are_the_names_of_clusters_and_brokers(self):
        answer = self.registry.request(304)
        found = loads(self.assert_code(answer, 0).body)
        self.assertLessEqual({self.server.cluster, self.server.name}, set(found["topicList"]))
        self.assertRegex(found["brokerAddr"], r"^127\.0\.0\.1:\d+$")

    def test_unit_topics(self):
        broker, unit, subscribed, both = self.fake(), *(self.name("unit") for _ in range(3))
        broker.register([topic_config(unit, flag=1), topic_config(subscribed, flag=2), topic_config(both, flag=3)])
        for code, wanted in ((311, {unit, both}), (312, {subscribed, both}), (313, {subscribed})):
            with self.subTest(code):
                self.assertEqual(wanted, set(self.topics(code)) & {unit, subscribed, both})

    def test_member_group(self):
        broker = self.fake()
        broker.register([self.name("one"), self.name("two")])
        answer = self.registry.request(901, {name: broker.identity[name] for name in ("clusterName", "brokerName")})
        group = loads(self.assert_code(answer, 0).body)["brokerMemberGroup"]
        self.assertEqual({"0": broker.identity["brokerAddr"]}, group["brokerAddrs"])
        answer = self.registry.request(901, {"clusterName": "x", "brokerName": "nobroker"})
        self.assertEqual({"brokerAddrs": {}, "brokerName": "nobroker", "cluster": "x"},
                         loads(self.assert_code(answer, 0).body)["brokerMemberGroup"])

    def test_delete_topic(self):
        a, b, topic = self.fake(cluster=self.name("Cluster")), self.fake(cluster=self.name("Cluster")), self.name("topic")
        for broker in (a, b):
            broker.register([topic, self.name("other")])
        self.assert_code(self.registry.request(216, {"topic": topic, "clusterName": a.identity["clusterName"]}), 0)
        self.assertEqual([b.identity["brokerName"]], list(self.brokers_of(topic)))
        self.assert_code(self.registry.request(216, {"topic": topic}), 0)
        self.assertEqual({}, self.brokers_of(topic))
        for fields in ({"topic": "NoSuchTopic"}, {}):
            self.assert_code(self.registry.request(216, fields), 0)


class WritePermission(NameServerCase):
    def test_wipe_and_add(self):
        broker, one = self.fake(), self.name("one")
        broker.register([topic_config(one, perm=6), topic_config(self.name("two"), perm=7)])
        fields = {"brokerName": broker.identity["brokerName"]}
        self.assert_number(self.registry.request(205, fields), "wipeTopicCount", 2)
        self.assertEqual(4, self.queue_data(one)[0]["perm"])
        self.assert_number(self.registry.request(327, fields), "addTopicCount", 2)
        self.assertEqual(6, self.queue_data(one)[0]["perm"])

    def test_unknown_broker(self):
        self.assert_number(self.registry.request(205, {"brokerName": "nobroker"}), "wipeTopicCount", 0)
        self.assert_number(self.registry.request(327, {"brokerName": "nobroker"}), "addTopicCount", 0)


class KeyValues(NameServerCase):
    def put(self, space, key, value):
        return self.registry.request(100, {name: text for name, text in
                                           (("namespace", space), ("key", key), ("value", value)) if text is not None})

    def get(self, space, key):
        return self.registry.request(101, {"namespace": space, "key": key})

    def test_life_of_a_value(self):
        space = self.name("space")
        self.assert_code(self.get(space, "k"), 22, f"No config item, Namespace: {space} Key: k")
        self.assert_code(self.put(space, "k", "v1;v2"), 0)
        self.assertEqual("v1;v2", self.assert_code(self.get(space, "k"), 0).ext["value"])
        self.assert_code(self.put(space, "k", "other"), 0)
        self.assert_code(self.put(space, "", "empty key"), 0)
        table = loads(self.assert_code(self.registry.request(219, {"namespace": space}), 0).body)["table"]
        self.assertEqual({"": "empty key", "k": "other"}, table)
        for _ in range(2):
            self.assert_code(self.registry.request(102, {"namespace": space, "key": "k"}), 0)
        self.assert_code(self.get(space, "k"), 22)

    def test_missing_parts(self):
        self.assert_code(self.put(None, "k", "v"), 1, "namespace or key is null")
        self.assert_code(self.put("space", None, "v"), 1, "namespace or key is null")
        self.assert_code(self.registry.request(100, {}), 1, "namespace or key is null")
        self.assert_code(self.registry.request(219, {"namespace": "NoNs"}), 22, "No config item, Namespace: NoNs")
        self.assert_code(self.registry.request(101, {}), 22)
        self.assert_code(self.registry.request(219, {}), 22)

    def test_registration_is_answered_with_the_order_table(self):
        topic = self.name("ordered")
        self.assert_code(self.put("ORDER_TOPIC_CONFIG", topic, "broker-a:2"), 0)
        try:
            answer = self.assert_code(self.fake().register([self.name("one"), self.name("two")]), 0)
            self.assertEqual("broker-a:2", loads(answer.body)["table"][topic])
        finally:
            self.registry.request(102, {"namespace": "ORDER_TOPIC_CONFIG", "key": topic})

    def test_values_survive_a_restart(self):
        server = self.own_server()
        registry = self.connect_namesrv(server)
        self.assert_code(registry.request(100, {"namespace": "NS", "key": "käy", "value": "v=\"1\""}), 0)
        server.stop()
        again = server.restart()
        self.addCleanup(again.kill)
        answer = self.connect_namesrv(again).request(101, {"namespace": "NS", "key": "käy"})
        self.assertEqual("v=\"1\"", self.assert_code(answer, 0).ext["value"])


class Configuration(NameServerCase):
    def test_get_is_properties_text(self):
        text = self.assert_code(self.registry.request(319), 0).body.decode()
        pairs = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        self.assertIn("listenPort", pairs)
        self.assertIn("configStorePath", pairs)

    def test_paths_cannot_be_changed(self):
        for key in ("kvConfigPath", "configStorePath", "configBlackList"):
            self.assert_code(self.registry.request(318, {}, f"{key}=/tmp/x\n"), 16, "black list")

    def test_updates_that_change_nothing(self):
        for body in (b"", b"noSuchKey=1\n", b"\x00\xff\x01"):
            self.assert_code(self.registry.request(318, {}, body), 0)


if __name__ == "__main__":
    unittest.main()
