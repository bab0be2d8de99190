"""Reads the JSON that RocketMQ servers write: bare integer keys, and whole objects as keys (message queues)."""

import json

_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n"


def loads(text):
    """Objects become dicts; an object used as a key becomes the tuple of its sorted items."""
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode()
    value, at = _value(text, _skip(text, 0))
    if _skip(text, at) != len(text):
        raise ValueError(f"more after the end: {text[at:at + 40]!r}")
    return value


def queue(broker, topic, queue_id):
    """The key of a message queue in a decoded map."""
    return (("brokerName", broker), ("queueId", queue_id), ("topic", topic))


def _skip(text, at):
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _value(text, at):
    if text[at:at + 1] == "{":
        return _object(text, at + 1)
    if text[at:at + 1] == "[":
        items, at = [], _skip(text, at + 1)
        while text[at:at + 1] != "]":
            item, at = _value(text, at)
            items.append(item)
            at = _separator(text, at, "]")
        return items, at + 1
    return _DECODER.raw_decode(text, at)


def _object(text, at):
    found, at = {}, _skip(text, at)
    while text[at:at + 1] != "}":
        key, at = _key(text, at)
        at = _skip(text, at)
        if text[at:at + 1] != ":":
            raise ValueError(f"no colon at {text[at:at + 40]!r}")
        value, at = _value(text, _skip(text, at + 1))
        found[key] = value
        at = _separator(text, at, "}")
    return found, at + 1


def _key(text, at):
    key, end = _value(text, at)
    if isinstance(key, dict):
        return tuple(sorted(key.items())), end
    if isinstance(key, (str, int)):
        return str(key), end
    raise ValueError(f"a key like {text[at:at + 20]!r}")


def _separator(text, at, end):
    at = _skip(text, at)
    if text[at:at + 1] == ",":
        return _skip(text, at + 1)
    if text[at:at + 1] != end:
        raise ValueError(f"neither comma nor {end} at {text[at:at + 40]!r}")
    return at
