"""P06: a query for messages whose fields are misnamed is an error, never an empty success."""

import unittest

from case import RawCase, unlike_apache


class P06Query(RawCase):
    @unlike_apache("code 1 with the text of a null pointer")
    def test_misnamed_time_range(self):
        fields = {"topic": "TBW102", "key": "k", "maxNum": "32", "begin": "0", "end": "9999999999999"}
        answer = self.connect().request(12, fields)
        self.assertNotEqual(0, answer.code)
        self.assertTrue((answer.remark or "").strip())
        if answer.code != 3:  # Else it says that it does not answer queries yet.
            self.assertIn("beginTimestamp", answer.remark)


if __name__ == "__main__":
    unittest.main()
