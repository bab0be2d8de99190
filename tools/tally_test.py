"""What tools/tally reads from each runner's summary, and that a failure cannot get lost on the way."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "tally"


def load():
    loader = importlib.machinery.SourceFileLoader("tally", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class ReadSummaryTest(unittest.TestCase):
    def assert_reads(self, kind, text, status, expected):
        self.assertEqual(str(load().judge(kind, text, status)), expected)

    def test_ctest_all_passed(self):
        self.assert_reads("ctest", "100% tests passed, 0 tests failed out of 12\n", 0,
                          "12 passed, 0 failed, 0 skipped")

    def test_ctest_failures(self):
        self.assert_reads("ctest", "83% tests passed, 2 tests failed out of 12\n", 8,
                          "10 passed, 2 failed, 0 skipped")

    def test_ctest_skipped_tests_are_not_passed(self):
        text = ("100% tests passed, 0 tests failed out of 3\n\n"
                "The following tests did not run:\n\t  2 - net/V6.Dials (Skipped)\n")
        self.assert_reads("ctest", text, 0, "2 passed, 0 failed, 1 skipped")

    def test_ctest_without_tests_fails(self):
        self.assert_reads("ctest", "No tests were found!!!\n", 0, "0 passed, 1 failed, 0 skipped")

    def test_unittest_ok(self):
        self.assert_reads("unittest", "Ran 7 tests in 0.1s\n\nOK (skipped=2)\n", 0,
                          "5 passed, 0 failed, 2 skipped")

    def test_unittest_failed(self):
        text = "Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)\n"
        self.assert_reads("unittest", text, 1, "3 passed, 3 failed, 1 skipped")

    def test_unittest_without_tests_fails(self):
        self.assert_reads("unittest", "Ran 0 tests in 0.000s\n\nOK\n", 0,
                          "0 passed, 1 failed, 0 skipped")

    def test_plain_takes_the_last_line(self):
        self.assert_reads("plain", "1 passed, 0 failed, 0 skipped\nmore\n4 passed, 1 failed\n", 1,
                          "4 passed, 1 failed, 0 skipped")

    def test_runner_that_dies_before_its_summary_fails(self):
        self.assert_reads("plain", "starting\n", 0, "0 passed, 1 failed, 0 skipped")

    def test_bad_exit_status_fails_even_if_the_summary_is_clean(self):
        self.assert_reads("plain", "4 passed, 0 failed, 0 skipped\n", 1,
                          "4 passed, 1 failed, 0 skipped")


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "results"

    def tally(self, *arguments):
        return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60)

    def step(self, name, kind, script, *more):
        return self.tally("run", "--name", name, "--kind", kind, "--results", str(self.results),
                          *more, "--", "bash", "-c", script)

    def last_line(self):
        done = self.tally("sum", str(self.results))
        return done.returncode, done.stdout.splitlines()[-1]

    def test_sum_adds_up_all_steps(self):
        self.step("one", "check", "exit 0")
        self.step("two", "plain", "echo '3 passed, 0 failed, 1 skipped'")
        self.assertEqual(self.last_line(), (0, "4 passed, 0 failed, 1 skipped"))

    def test_one_failure_fails_the_sum(self):
        self.step("one", "check", "exit 0")
        self.assertEqual(self.step("two", "check", "exit 3").returncode, 3)
        self.assertEqual(self.last_line(), (1, "1 passed, 1 failed, 0 skipped"))

    def test_no_step_at_all_fails(self):
        self.results.write_text("")
        self.assertEqual(self.last_line(), (1, "0 passed, 1 failed, 0 skipped"))

    def test_hanging_step_is_stopped_and_fails(self):
        done = self.step("slow", "plain", "echo '1 passed, 0 failed, 0 skipped'; sleep 100",
                         "--timeout", "1")
        self.assertEqual(done.returncode, 124)
        self.assertEqual(self.last_line(), (1, "1 passed, 1 failed, 0 skipped"))

    def test_child_left_behind_does_not_hold_the_step(self):
        self.step("leak", "check", "sleep 100 & exit 0")
        self.assertEqual(self.last_line(), (0, "1 passed, 0 failed, 0 skipped"))

    def test_missing_program_fails(self):
        self.tally("run", "--name", "x", "--kind", "check", "--results", str(self.results), "--",
                   "/nowhere/at/all")
        self.assertEqual(self.last_line(), (1, "0 passed, 1 failed, 0 skipped"))

    def test_ctest_lines_of_passed_tests_stay_in_the_log(self):
        line = "  1/12 Test  #1: base/Crc.Empty .......   Passed    0.01 sec"
        done = self.step("unit", "ctest", f"echo '{line}'; "
                         "echo '100% tests passed, 0 tests failed out of 12'")
        self.assertNotIn("base/Crc.Empty", done.stdout)
        self.assertIn("base/Crc.Empty", (self.results.parent / "unit.log").read_text())


if __name__ == "__main__":
    unittest.main()
