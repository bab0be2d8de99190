"""Requests that tests make over and over, as functions of a connection. Defaults are what a Java 5.5.0 client sends."""

import json
import os
import time

from records import encode_properties

PULL_COMMIT, PULL_SUSPEND, PULL_EXPRESSION = 1, 2, 4


def send_fields(topic, queue=0, properties=None, **fields):
    text = encode_properties(properties) if isinstance(properties, dict) else properties
    found = {"a": "raw-producer", "b": topic, "c": "TBW102", "d": "4", "e": str(queue), "f": "0",
             "g": str(int(time.time() * 1000)), "h": "0", "i": text, "j": "0", "k": "false", "m": "false"}
    found.update({key: str(value) if value is not None else None for key, value in fields.items()})
    return {key: value for key, value in found.items() if value is not None}


def send(connection, topic, body=b"x", queue=0, properties=None, code=310, **fields):
    """A send with the short header; `fields` replaces single letters, None leaves one out."""
    answer = connection.request(code, send_fields(topic, queue, properties, **fields), body)
    if os.environ.get("RAW_PEER") == "apache":
        time.sleep(0.02)  # It fills queues behind the log; ours can be read as soon as the answer is there.
    return answer


def send_batch(connection, topic, body, queue=0, **fields):
    return send(connection, topic, body, queue, code=320, **{"m": "true", **fields})


LONG_NAMES = dict(a="producerGroup", b="topic", c="defaultTopic", d="defaultTopicQueueNums", e="queueId", f="sysFlag",
                  g="bornTimestamp", h="flag", i="properties", j="reconsumeTimes", k="unitMode", m="batch")


def send_v1(connection, topic, body=b"x", queue=0, properties=None, **fields):
    """A send with the long header names (code 10)."""
    short = send_fields(topic, queue, properties)
    return connection.request(10, {**{LONG_NAMES[key]: value for key, value in short.items()}, **fields}, body)


def pull_fields(group, topic, offset=0, queue=0, count=32, expression="*", commit=None, hold=0, **fields):
    """`expression` None: filter by the group's heartbeat. `hold` > 0: suspend that many ms. `commit`: offset to store."""
    flags = PULL_COMMIT * (commit is not None) | PULL_SUSPEND * (hold > 0) | PULL_EXPRESSION * (expression is not None)
    found = {"consumerGroup": group, "topic": topic, "queueId": str(queue), "queueOffset": str(offset),
             "maxMsgNums": str(count), "sysFlag": str(flags), "commitOffset": str(-1 if commit is None else commit),
             "suspendTimeoutMillis": str(hold), "subscription": expression, "subVersion": "0", "expressionType": "TAG",
             "maxMsgBytes": "262144"}
    found.update({key: str(value) if value is not None else None for key, value in fields.items()})
    return {key: value for key, value in found.items() if value is not None}


def pull(connection, group, topic, offset=0, code=11, timeout=None, **options):
    return connection.request(code, pull_fields(group, topic, offset, **options), timeout=timeout)


def create_topic(connection, topic, read=1, write=1, perm=6, **fields):
    found = {"topic": topic, "defaultTopic": "TBW102", "readQueueNums": str(read), "writeQueueNums": str(write),
             "perm": str(perm), "topicFilterType": "SINGLE_TAG", "topicSysFlag": "0", "order": "false", "attributes": ""}
    found.update({key: str(value) if value is not None else None for key, value in fields.items()})
    return connection.request(17, {key: value for key, value in found.items() if value is not None})


def group_config(group, **fields):
    return {"groupName": group, "consumeEnable": True, "consumeFromMinEnable": True, "consumeBroadcastEnable": True,
            "retryQueueNums": 1, "retryMaxTimes": 16, "brokerId": 0, "whichBrokerWhenConsumeSlowly": 1,
            "notifyConsumerIdsChangedEnable": True, **fields}


def create_group(connection, group, **fields):
    return connection.request(200, {}, json.dumps(group_config(group, **fields)))


def subscription(topic, expression="*", version=1, kind="TAG"):
    from records import java_hash
    tags = [] if expression in ("*", "") or kind != "TAG" else [tag.strip() for tag in expression.split("||")]
    return {"classFilterMode": False, "codeSet": [java_hash(tag) for tag in tags], "expressionType": kind,
            "subString": expression, "subVersion": version, "tagsSet": tags, "topic": topic}


def heartbeat_body(client, group=None, subscriptions=(), producers=(), model="CLUSTERING", kind="CONSUME_PASSIVELY",
                   start="CONSUME_FROM_LAST_OFFSET"):
    consumers = [] if group is None else [{"consumeFromWhere": start, "consumeType": kind, "groupName": group,
                                           "messageModel": model, "subscriptionDataSet": list(subscriptions),
                                           "unitMode": False}]
    return {"clientID": client, "consumerDataSet": consumers, "heartbeatFingerprint": 0,
            "producerDataSet": [{"groupName": name} for name in producers], "withoutSub": False}


def heartbeat(connection, client, group=None, subscriptions=(), *, version=None, **options):
    header = {} if version is None else {"version": version}
    return connection.request(34, {}, json.dumps(heartbeat_body(client, group, subscriptions, **options)), **header)


def lock_body(client, group, queues, broker):
    """`queues`: (topic, queue id) pairs."""
    return json.dumps({"clientId": client, "consumerGroup": group, "onlyThisBroker": False,
                       "mqSet": [{"brokerName": broker, "queueId": queue, "topic": topic} for topic, queue in queues]})
