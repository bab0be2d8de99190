"""Starts and stops the servers of a run, ours and Apache's: loopback only, free ports, each by its process id."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

CLUSTER = "DefaultCluster"
READY_SECONDS = 90
STOP_SECONDS = 60


class ServerError(Exception):
    """A server did not start, did not get ready or did not stop as it should."""


class Server:
    """One server process. Its output goes to `log`; `lines` has what it printed on standard output so far."""

    def __init__(self, name, command, folder, environment=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = folder / f"{name}.out"
        self.lines = []
        self._out = open(self.log, "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env=dict(os.environ, **(environment or {})),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._out, text=True, errors="replace")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._out.write(line)
            self._out.flush()

    def until(self, what, done, seconds=READY_SECONDS):
        """Polls `done` and returns its first true value; a dead server or the deadline is an error."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = done()
                if value:
                    return value
            except (OSError, struct.error, ValueError):
                pass
            if self.process.poll() is not None:
                raise ServerError(f"{self.name} ended with {self.process.returncode} before {what}: {self.tail()}")
            if time.monotonic() > end:
                raise ServerError(f"{self.name}, not within {seconds} s: {what}: {self.tail()}")
            time.sleep(0.1)

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        """Asks by SIGTERM and returns the exit status; one that does not follow is killed, which is an error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise ServerError(f"{self.name} still ran {STOP_SECONDS} s after SIGTERM") from None
        finally:
            self._reader.join(5)
            self._out.close()
        return status

    def tail(self):
        return "\n" + "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-15:])


def free_port(*distances):
    """A port that nobody listens on now, nor on the ports at these distances from it."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        try:
            for distance in distances:
                with socket.socket() as other:
                    other.bind(("127.0.0.1", port + distance))
            return port
        except (OSError, OverflowError):
            continue


def registered(namesrv):
    """Names of the brokers that the name server at host:port lists (request 106)."""
    host, port = namesrv.rsplit(":", 1)
    header = json.dumps({"code": 106, "language": "OTHER", "version": 0, "opaque": 1, "flag": 0,
                         "serializeTypeCurrentRPC": "JSON"}).encode()
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(struct.pack(">ii", 4 + len(header), len(header)) + header)
        stream = connection.makefile("rb")
        length, header_length = struct.unpack(">ii", stream.read(8))
        stream.read(header_length & 0xFFFFFF)
        body = stream.read(length - 4 - (header_length & 0xFFFFFF)).decode()
    return set(re.findall(r'"brokerName":"([^"]+)"', body))


def _write_properties(path, settings):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    return path


def _broker_settings(folder, name, **more):
    """What both kinds of brokers are told; small files, so that logs roll within a run."""
    return {"brokerClusterName": CLUSTER, "brokerName": name, "brokerId": 0, "brokerIP1": "127.0.0.1",
            "bindAddress": "127.0.0.1", "storePathRootDir": folder / "store",
            "storePathCommitLog": folder / "store" / "commitlog", "mappedFileSizeCommitLog": 64 << 20,
            "autoCreateTopicEnable": "true", "autoCreateSubscriptionGroup": "true", **more}


def _ready(server):
    """The addresses of our `ready:` line: {"name server": "127.0.0.1:9876", "broker": ...}."""
    def parse():
        for line in server.lines:
            if line.startswith("ready: "):
                return dict(part.rsplit(" ", 1) for part in line[len("ready: "):].split(", "))
        return None

    return server.until("it printed its ready line", parse)


def start_apogee_server(binary, folder):
    """Name server and broker in one process. Returns the server, its name server address and its store."""
    config = _write_properties(folder / "server.conf", _broker_settings(folder, "broker-apogee", listenPort=0))
    server = Server("apogee-server", [binary, "server", "--namesrv-port", 0, "-c", config], folder)
    address = _ready(server)["name server"]
    server.until("its broker registered", lambda: "broker-apogee" in registered(address))
    return server, address, folder / "store"


def start_apogee_namesrv(binary, folder):
    config = _write_properties(folder / "namesrv.conf", {"listenPort": 0, "bindAddress": "127.0.0.1"})
    server = Server("apogee-namesrv", [binary, "namesrv", "-c", config], folder)
    return server, _ready(server)["name server"]


def start_apogee_broker(binary, folder, namesrv):
    config = _write_properties(folder / "broker.conf",
                               _broker_settings(folder, "broker-apogee", listenPort=0, namesrvAddr=namesrv))
    server = Server("apogee-broker", [binary, "broker", "-c", config], folder)
    _ready(server)
    server.until("the name server lists it", lambda: "broker-apogee" in registered(namesrv))
    return server, folder / "store"


def _start_java(name, main, class_path, folder, heap, config):
    home = folder / f"{name}-home"
    home.mkdir(parents=True, exist_ok=True)
    command = ["java", f"-Xmx{heap}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:MaxDirectMemorySize=512m",
               "-Djava.net.preferIPv4Stack=true", f"-Duser.home={home}", f"-Drocketmq.home.dir={home}",
               "-cp", class_path, main, "-c", config]
    return Server(name, command, folder, {"ROCKETMQ_HOME": str(home), "HOME": str(home), "NAMESRV_ADDR": ""})


def start_apache_namesrv(class_path, folder):
    address = f"127.0.0.1:{free_port()}"
    config = _write_properties(folder / "namesrv.conf",
                               {"listenPort": address.rsplit(":", 1)[1], "bindAddress": "127.0.0.1"})
    server = _start_java("apache-namesrv", "org.apache.rocketmq.namesrv.NamesrvStartup", class_path, folder,
                         "256m", config)
    server.until("it answers", lambda: registered(address) is not None)
    return server, address


def start_apache_broker(class_path, folder, namesrv):
    port = free_port(-2, 1)  # It also listens on the port two below, and its replication on the next.
    settings = _broker_settings(folder, "broker-apache", listenPort=port, haListenPort=port + 1, namesrvAddr=namesrv,
                                # On a busy machine it would refuse sends after 200 ms in its queue.
                                waitTimeMillsInSendQueue=10000)
    config = _write_properties(folder / "broker.conf", settings)
    server = _start_java("apache-broker", "org.apache.rocketmq.broker.BrokerStartup", class_path, folder, "768m",
                         config)
    server.until("the name server lists it", lambda: "broker-apache" in registered(namesrv))
    return server
