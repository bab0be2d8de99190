"""Two rounds of the kill script, so that a plain run of the tests has them; `kill --rounds N` does more."""

import pathlib
import subprocess
import sys
import unittest

import servers


class Kill(unittest.TestCase):
    @unittest.skipIf(servers.is_external() or servers.is_apache(), "starts servers of ours")
    def test_nothing_acknowledged_is_lost_by_kill_9(self):
        if not servers.binary().exists():
            self.skipTest(f"{servers.binary()} is not built")
        done = subprocess.run([sys.executable, str(pathlib.Path(__file__).parent / "kill"), "--rounds", "2"],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
