"""The floor check is seen to fail: each test lays a small tree with one fault and reads the findings."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "check_floors"

FLOORS = """\
# floor room: may include
0 base:
1 env: base
2 net: base env
2 store: base env
5 endpoint/remoting: base net
7 main: base store
"""


def load():
    loader = importlib.machinery.SourceFileLoader("check_floors", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class CheckFloorsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "src"
        self.lay("FLOORS", FLOORS)
        self.lay("base/result.h", "#include <string>\n")
        self.lay("env/clock.h", '#include "base/result.h"\n')
        self.lay("env/fake/clock.h", '#include "env/clock.h"\n')

    def lay(self, path, text):
        file = self.source / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def findings(self):
        return [f"{path}:{line}: {what}" for path, line, what in load().check(self.source)[0]]

    def assert_one(self, pattern):
        findings = self.findings()
        self.assertEqual(len(findings), 1, findings)
        self.assertRegex(findings[0], pattern)

    def test_clean_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])

    def test_looking_up_is_found_with_its_line(self):
        self.lay("base/bad.h", '#include <string>\n\n#include "env/clock.h"\n')
        self.assert_one(r"^base/bad\.h:3: base may not include \"env/clock\.h\"")

    def test_neighbours_do_not_meet(self):
        self.lay("net/socket.h", "")
        self.lay("store/bad.cc", '#include "net/socket.h"\n')
        self.assert_one("store may not include")

    def test_a_lower_room_that_is_not_in_the_line_is_found(self):
        self.lay("main/main.cc", '#include "env/clock.h"\n')
        self.assert_one("main may not include")

    def test_longest_folder_is_the_room(self):
        self.lay("endpoint/remoting/send.cc", '#include "env/clock.h"\n')
        self.assert_one("endpoint/remoting may not include")

    def test_folder_outside_of_floors_is_found(self):
        self.lay("util/strings.h", "")
        self.assert_one(r"^util/strings\.h:1: lies in no room")

    def test_sub_folder_that_is_no_room_is_found(self):
        self.lay("store/detail/x.h", "")
        self.assert_one("lies in no room")

    def test_file_beside_the_rooms_is_found(self):
        self.lay("stray.h", "")
        self.assert_one("lies in no room")

    def test_include_without_its_folder_is_found(self):
        self.lay("env/file.cc", '#include "clock.h"\n')
        self.assert_one("is no file below")

    def test_tests_may_include_fakes_of_their_rooms(self):
        self.lay("store/log_test.cc", '#include "env/fake/clock.h"\n')
        self.assertEqual(self.findings(), [])

    def test_tests_may_not_include_fakes_of_other_rooms(self):
        self.lay("main/main_test.cc", '#include "env/fake/clock.h"\n')
        self.assert_one("main may not include")

    def test_product_code_may_not_include_fakes(self):
        self.lay("store/log.cc", '#include "env/fake/clock.h"\n')
        self.assert_one("is a fake")

    def test_heavy_header_in_a_header_of_its_room_stays_there(self):
        self.lay("net/asio_loop.h", "#include <asio.hpp>\n")
        self.lay("net/loop.cc", '#include "net/asio_loop.h"\n')
        self.assertEqual(self.findings(), [])

    def test_another_room_may_not_include_a_header_that_reaches_a_heavy_one(self):
        self.lay("net/asio_loop.h", "#include <asio.hpp>\n")
        self.lay("net/tcp.h", '#include "net/asio_loop.h"\n')
        self.lay("endpoint/remoting/send.cc", '#include "net/tcp.h"\n')
        self.assert_one(r"^endpoint/remoting/send\.cc:1: .*reaches <asio>")

    def test_heavy_header_in_another_room_is_found(self):
        self.lay("store/log.cc", "#include <asio/ip/tcp.hpp>\n")
        self.assert_one("wrapped by net")

    def test_heavy_header_in_quotes_is_found(self):
        self.lay("store/log.cc", '#include "spdlog/spdlog.h"\n')
        self.assert_one("wrapped by base")

    def test_heavy_header_in_its_room_is_fine(self):
        self.lay("net/loop.cc", "#include <asio.hpp>\n#include <asio/ip/tcp.hpp>\n")
        self.lay("base/json.cc", "#include <simdjson.h>\n")
        self.lay("main/main.cc", "#include <CLI/CLI.hpp>\n")
        self.assertEqual(self.findings(), [])

    def test_include_in_a_comment_is_none(self):
        self.lay("base/bad.h", '/* for example\n#include "env/clock.h"\n*/\n// #include "env/clock.h"\n')
        self.assertEqual(self.findings(), [])

    def test_floors_that_point_up_are_found(self):
        self.lay("FLOORS", "0 base:\n1 env: base store\n2 store: base env\n")
        self.assert_one("env may include store, no room above it")

    def test_floors_that_point_sideways_are_found(self):
        self.lay("FLOORS", "0 base:\n1 env: base\n1 store: base env\n")
        self.assert_one("store may include env, which is not lower")

    def test_exit_status_tells(self):
        clean = subprocess.run([TOOL, self.source], capture_output=True, text=True)
        self.lay("base/bad.h", '#include "env/clock.h"\n')
        bad = subprocess.run([TOOL, self.source], capture_output=True, text=True)
        self.assertEqual((clean.returncode, bad.returncode), (0, 1), bad.stdout)


if __name__ == "__main__":
    unittest.main()
