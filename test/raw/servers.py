"""Starts and stops the servers under test, on loopback, free ports and a store of their own.

Environment: APOGEE is our binary (default build/release/apogee of this tree). RAW_PEER=apache runs Apache's servers
instead, to check the tests themselves. APOGEE_NAMESRV and APOGEE_BROKER (host:port) name servers that already run; then
tests that need servers of their own are skipped.
"""

import atexit
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from fastjson import loads
from remoting_client import Connection

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"
CLUSTER, BROKER = "DefaultCluster", "broker-a"
READY_SECONDS = 120 if os.environ.get("RAW_PEER") == "apache" else 30
READY = re.compile(r"^ready:(.*)$", re.M)
ADDRESS = re.compile(r"(name server|broker) (\[?[0-9a-fA-F.:]+?\]?):(\d+)")
# Small files: a hundred stores of 1 GiB segments would not fit a test machine.
SMALL = {"mappedFileSizeCommitLog": 64 << 20, "mappedFileSizeConsumeQueue": 20 * 20000}


def is_apache():
    return os.environ.get("RAW_PEER") == "apache"


def binary():
    return pathlib.Path(os.environ.get("APOGEE") or ROOT / "build/release/apogee")


def parse_address(text):
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


class Process:
    """One server process of ours. Ends with the test program at the latest."""

    def __init__(self, name, command, folder, env=None):
        self.name, self.log = name, folder / f"{name}.out"
        with open(self.log, "ab") as out:
            self.began = out.tell()
            self.child = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=out,
                                          stderr=subprocess.STDOUT, cwd=folder, env=env)
        self.pid = self.child.pid
        atexit.register(self.kill)

    def output(self):
        """What this process printed; the file may hold an earlier one's lines before that."""
        return self.log.read_bytes()[self.began:].decode(errors="replace")

    def wait_until(self, what, done, seconds=None):
        end = time.monotonic() + (seconds or READY_SECONDS)
        while time.monotonic() < end:
            if self.child.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.child.returncode}:\n{self.output()[-3000:]}")
            try:
                found = done()
                if found:
                    return found
            except (OSError, ValueError, AssertionError, EOFError):
                pass
            except Exception as error:  # Closed and Timeout of the client.
                if type(error).__name__ not in ("Closed", "Timeout"):
                    raise
            time.sleep(0.02)
        raise RuntimeError(f"{self.name}: not within {seconds or READY_SECONDS} s: {what}\n{self.output()[-3000:]}")

    def stop(self, seconds=60):
        """A clean stop; returns the exit code."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError(f"{self.name} did not stop within {seconds} s of SIGTERM")
        return 0 if is_apache() and self.child.returncode == 128 + signal.SIGTERM else self.child.returncode

    def kill(self):
        """kill -9."""
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def status(self, field):
        """A line of /proc/PID/status that counts KiB, in bytes."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        raise KeyError(field)

    def own_memory(self):
        """Resident memory that is not a mapped file: mapped log pages are the kernel's, not the server's."""
        return self.status("RssAnon")


class NameServer:
    def __init__(self, process, address):
        self.process, self.address = process, address

    def connect(self, **options):
        return Connection(self.address, **options)

    def stop(self):
        return self.process.stop()


class Broker:
    """A broker process; with `apogee server` its process is the name server's too."""

    def __init__(self, process, address, store, settings, namesrv, folder):
        self.process, self.address, self.store = process, address, store
        self.settings, self.namesrv, self.folder = settings, namesrv, folder
        self.name = settings.get("brokerName", BROKER)
        self.cluster = settings.get("brokerClusterName", CLUSTER)

    def connect(self, **options):
        return Connection(self.address, **options)

    def connect_namesrv(self, **options):
        return self.namesrv.connect(**options)

    def stop(self):
        """Stops it cleanly, the name server that came with it too. Returns the broker's exit code."""
        code = self.process.stop()
        self.namesrv.stop()
        return code

    def kill(self):
        self.process.kill()
        self.namesrv.process.kill()

    def restart(self):
        """A new server on the same store and settings, after stop() or kill()."""
        return start_server(self.settings, store=self.store, folder=self.folder)


def free_port():
    """A port that was free just now, with its neighbours that a broker may take (VIP, HA) free as well."""
    while True:
        with socket.socket() as one:
            one.bind((LOOPBACK, 0))
            port = one.getsockname()[1]
            try:
                for other in (port - 2, port + 1):
                    with socket.socket() as two:
                        two.bind((LOOPBACK, other))
                return port
            except OSError:
                continue


def new_folder():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="apogee-raw-"))
    atexit.register(shutil.rmtree, folder, True)
    return folder


def write_config(path, settings):
    path.write_text("".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}\n"
                            for key, value in settings.items()))
    return path


def broker_settings(settings, store):
    """`settings` go before ours; None takes one of ours out."""
    whole = {"brokerClusterName": CLUSTER, "brokerName": BROKER, "brokerId": 0, "brokerIP1": LOOPBACK,
            "bindAddress": LOOPBACK, "listenPort": 0, "storePathRootDir": store,
            "storePathCommitLog": store / "commitlog", **SMALL, **settings}
    return {key: value for key, value in whole.items() if value is not None}


def start_server(settings=None, store=None, folder=None):
    """A name server and one broker registered with it."""
    folder = folder or new_folder()
    store = store or folder / "store"
    if is_apache():
        return start_broker(start_namesrv(folder=folder), settings, store=store, folder=folder)
    config = write_config(folder / "server.conf", broker_settings(settings or {}, store))
    process = Process("server", [need_binary(), "server", "--namesrv-port", "0", "-c", config], folder)
    found = process.wait_until("the ready line", lambda: ready(process, "name server", "broker"))
    namesrv = NameServer(process, found["name server"])
    broker = Broker(process, found["broker"], store, settings or {}, namesrv, folder)
    wait_registered(process, namesrv, broker)
    return broker


def start_namesrv(settings=None, folder=None):
    folder = folder or new_folder()
    if is_apache():
        port = (settings or {}).get("listenPort") or free_port()
        config = write_config(folder / "namesrv.conf", {"bindAddress": LOOPBACK, **(settings or {}), "listenPort": port})
        process = java("namesrv", "org.apache.rocketmq.namesrv.NamesrvStartup", config, folder)
        address = (LOOPBACK, port)
        process.wait_until("an answer", lambda: serves(address))
    else:
        config = write_config(folder / "namesrv.conf", {"listenPort": 0, "bindAddress": LOOPBACK, **(settings or {})})
        process = Process("namesrv", [need_binary(), "namesrv", "-c", config], folder)
        address = process.wait_until("the ready line", lambda: ready(process, "name server"))["name server"]
    return NameServer(process, address)


def start_broker(namesrv, settings=None, store=None, folder=None):
    folder = folder or new_folder()
    settings = settings or {}
    name = settings.get("brokerName", BROKER)
    store = store or folder / f"{name}-store"
    whole = broker_settings({"namesrvAddr": "%s:%d" % namesrv.address, **settings}, store)
    if is_apache():
        port = whole["listenPort"] or free_port()
        # Without the two limits it refuses sends that waited 200 ms, which a busy machine makes happen.
        whole.update(listenPort=port, haListenPort=free_port(), brokerFastFailureEnable="false",
                     waitTimeMillsInSendQueue=20000)
        process = java(name, "org.apache.rocketmq.broker.BrokerStartup", write_config(folder / f"{name}.conf", whole), folder)
        address = (LOOPBACK, port)
    else:
        process = Process(name, [need_binary(), "broker", "-c", write_config(folder / f"{name}.conf", whole)], folder)
        address = process.wait_until("the ready line", lambda: ready(process, "broker"))["broker"]
    broker = Broker(process, address, store, settings, namesrv, folder)
    wait_registered(process, namesrv, broker)
    return broker


def need_binary():
    if not binary().exists():
        raise unittest.SkipTest(f"{binary()} is not built")
    return binary()


def ready(process, *parts):
    line = READY.search(process.output())
    if not line or not process.output().endswith("\n"):
        return None
    found = {name: (host.strip("[]"), int(port)) for name, host, port in ADDRESS.findall(line.group(1))}
    return found if set(parts) <= set(found) else None


def serves(address):
    with Connection(address) as connection:
        return connection.request(206).code == 0


def wait_registered(process, namesrv, broker):
    """Until the name server lists the broker and a topic of it."""
    def done():
        with namesrv.connect() as connection:
            table = loads(connection.request(106).body)["brokerAddrTable"]
            return broker.name in table and connection.request(105, {"topic": broker.cluster}).code == 0
    process.wait_until(f"broker {broker.name} is registered", done)


def java(name, main, config, folder):
    sys.path.insert(0, str(ROOT / "test/peer-suite"))
    import artifacts
    home = folder / f"{name}-home"
    home.mkdir(exist_ok=True)
    env = {key: value for key, value in os.environ.items() if key != "NAMESRV_ADDR"}
    return Process(name, ["java", "-Xms128m", "-Xmx512m", "-XX:MaxDirectMemorySize=1g", "-XX:+UseSerialGC",
                          "-XX:TieredStopAtLevel=1", f"-Duser.home={home}", f"-Drocketmq.home.dir={home}",
                          "-Djava.net.preferIPv4Stack=true", "-cp", artifacts.join(artifacts.server_class_path()), main,
                          "-c", config], folder, dict(env, ROCKETMQ_HOME=str(home), HOME=str(home)))


def check_store(store):
    """Exit code and findings of the store verifier; 0 is clean, torn tails of a crash included."""
    done = subprocess.run([sys.executable, str(ROOT / "tools/store-check/check.py"), str(store)], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class External(Broker):
    """Servers that already run; nothing is known of their process and store."""

    def __init__(self):
        self.namesrv = NameServer(None, parse_address(os.environ["APOGEE_NAMESRV"]))
        self.address = parse_address(os.environ["APOGEE_BROKER"])
        self.process = self.store = self.folder = None
        self.settings = {}
        with self.namesrv.connect() as connection:
            table = loads(connection.request(106).body)["brokerAddrTable"]
        wanted = "%s:%d" % self.address
        self.name, self.cluster = next((name, data["cluster"]) for name, data in table.items()
                                       if wanted in data["brokerAddrs"].values())


_shared = None


def shared():
    """The server that tests without special wishes use; started by the first of them."""
    global _shared
    if _shared is None:
        _shared = External() if is_external() else start_server()
        if not is_external():
            atexit.register(_shared.kill)
    return _shared


def is_external():
    return "APOGEE_BROKER" in os.environ
