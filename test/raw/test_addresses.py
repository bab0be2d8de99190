"""P49: the address a broker advertises when none is configured, in network namespaces made for it (root, iproute2)."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import servers
from fastjson import loads

# Commands of iproute2 that make the namespace's interfaces, and the address expected.
PRIVATE = ["link add eth9 type dummy", "addr add 10.11.12.13/24 dev eth9", "link set eth9 up"]
BRIDGE = ["link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0", "link set docker0 up"]


def inside(commands, arguments):
    """Runs in a namespace of its own: makes the interfaces, starts a server without brokerIP1, prints what it registered."""
    for command in ["link set lo up", *commands]:
        subprocess.run(["ip", *command.split()], check=True)
    server = servers.start_server({"brokerIP1": None, "bindAddress": "0.0.0.0", **arguments})
    try:
        with server.connect_namesrv() as registry:
            table = loads(registry.request(106).body)["brokerAddrTable"]
        print(json.dumps({"address": table[server.name]["brokerAddrs"]["0"].rsplit(":", 1)[0],
                          "output": server.process.output()}))
    finally:
        server.kill()


@unittest.skipIf(servers.is_external() or servers.is_apache(), "starts servers of ours")
@unittest.skipUnless(os.geteuid() == 0 and shutil.which("ip") and shutil.which("unshare"), "needs root, unshare and iproute2")
class P49Addresses(unittest.TestCase):
    def advertised(self, *commands, **settings):
        if not servers.binary().exists():
            self.skipTest(f"{servers.binary()} is not built")
        if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
            self.skipTest("network namespaces are not allowed here")
        code = "import json, sys, test_addresses; test_addresses.inside(*json.loads(sys.argv[1]))"
        done = subprocess.run(["unshare", "--net", sys.executable, "-B", "-c", code, json.dumps([commands, settings])],
                              cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=60, check=False)
        if "Operation not supported" in done.stderr or "Unknown device type" in done.stderr:
            self.skipTest("this kernel has no such interface: " + done.stderr.strip())
        self.assertEqual(0, done.returncode, done.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        return found["address"], found["output"]

    def test_a_private_address_beats_loopback(self):
        self.assertEqual("10.11.12.13", self.advertised(*PRIVATE)[0])

    def test_only_loopback_is_used_with_a_warning(self):
        address, output = self.advertised()
        self.assertEqual("127.0.0.1", address)
        self.assertRegex(output.lower(), "loopback|only clients on this machine")

    def test_a_container_bridge_comes_after_a_real_interface(self):
        self.assertEqual("10.11.12.13", self.advertised(*BRIDGE, *PRIVATE)[0])

    def test_a_container_bridge_alone_is_named(self):
        address, output = self.advertised(*BRIDGE)
        if address == "172.17.0.1":
            self.assertIn("docker0", output)
        else:
            self.assertEqual("127.0.0.1", address)

    def test_what_is_configured_wins_and_the_choice_is_explained(self):
        address, output = self.advertised(*PRIVATE, brokerIP1="127.0.0.1")
        self.assertEqual("127.0.0.1", address)
        self.assertIn("brokerIP1", output)


if __name__ == "__main__":
    unittest.main()
