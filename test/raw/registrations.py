"""What a broker sends to a name server (code 103), in its plain and its compressed form."""

import json
import struct
import zlib


def topic_config(name, read=2, write=2, perm=6, flag=0, **fields):
    return {"attributes": {}, "order": False, "perm": perm, "readQueueNums": read, "topicFilterType": "SINGLE_TAG",
            "topicName": name, "topicSysFlag": flag, "writeQueueNums": write, **fields}


def data_version(counter=1, timestamp=1, state=0):
    return {"counter": counter, "stateVersion": state, "timestamp": timestamp}


def plain_body(topics, version=None):
    return json.dumps({"filterServerList": [], "topicConfigSerializeWrapper": {
        "dataVersion": version or data_version(), "topicConfigTable": {topic["topicName"]: topic for topic in topics}}})


def compressed_body(topics, version=None, mappings=True):
    """One zlib stream of length-prefixed texts; 5.x appends a section of static topic mappings."""
    def text(value):
        raw = value.encode()
        return struct.pack(">i", len(raw)) + raw

    content = text(json.dumps(version or data_version())) + struct.pack(">i", len(topics))
    for topic in topics:
        content += text("{topicName} {readQueueNums} {writeQueueNums} {perm} {topicFilterType} ".format(**topic)
                        + (json.dumps(topic["attributes"], separators=(",", ":")) if topic["attributes"] else ""))
    content += text("[]") + (struct.pack(">i", 0) if mappings else b"")
    return zlib.compress(content)


class FakeBroker:
    """A broker as the name server sees it: a connection that registers."""

    def __init__(self, connection, name, cluster="RawCluster", address="127.0.0.1:40001", broker_id=0):
        self.connection = connection
        self.identity = {"brokerName": name, "brokerAddr": address, "clusterName": cluster, "brokerId": str(broker_id)}

    def register(self, topics, version=None, *, compressed=False, crc=None, body=None, header_version=513, **fields):
        """`topics`: names or configurations. `crc` None: the right one; 0: not checked."""
        configs = [topic if isinstance(topic, dict) else topic_config(topic) for topic in topics]
        if body is None:
            body = compressed_body(configs, version) if compressed else plain_body(configs, version)
        raw = body.encode() if isinstance(body, str) else body
        crc = zlib.crc32(raw) & 0x7FFFFFFF if crc is None else crc
        host, port = self.identity["brokerAddr"].rsplit(":", 1)
        ext = {**self.identity, "haServerAddr": f"{host}:{int(port) + 1}", "compressed": str(compressed).lower(),
               "bodyCrc32": str(crc), "enableActingMaster": "false", **fields}
        return self.connection.request(103, {name: value for name, value in ext.items() if value is not None}, raw,
                                       version=header_version)

    def unregister(self):
        return self.connection.request(104, self.identity)
