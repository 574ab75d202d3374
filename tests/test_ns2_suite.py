"""ns-2's validation suite, played by airtcp: what its authors keep of each test is what we draw.

The references are those of Debian's package ns2-examples. What counts is listed by name before
anything is played. A point of a drawing may lie 1.5 microseconds beside the reference, which is
printed with six decimals; none may be missing, and none too many.
"""

import tomllib

import pytest

from ns2_suite import suite

pytest.importorskip("tkinter", reason="the scripts of ns are read by tkinter's Tcl interpreter")
pytestmark = pytest.mark.skipif(
    not suite.PLACE.exists(), reason=f"ns-2's suite is not in {suite.PLACE} (ns2-examples)"
)
LISTED = tomllib.loads(suite.REFERENCES.read_text())
#: References that are known to differ; docs/evidence/ns2_suite.md says why.
KNOWN = {"multiple_partial_ack_sack", "multiple2_partial_ack_sack", "ecn1"}


@pytest.mark.parametrize("family", suite.FAMILIES)
def test_what_counts_is_what_the_list_says(family: str) -> None:
    found = suite.counted(family)
    left_out = {test: why for test, why in found.items() if why}
    assert LISTED[family] == {
        "counts": [test for test, why in found.items() if why is None],
        "left_out": left_out,
    }


@pytest.mark.parametrize("family", suite.FAMILIES)
def test_the_drawings_are_those_of_ns(family: str) -> None:
    played = [suite.play(family, test) for test in LISTED[family]["counts"]]
    differ = {verdict.test: verdict.difference for verdict in played if not verdict.equal}
    assert set(differ) <= KNOWN, differ
    assert len(differ) <= 0.05 * len(played)


@pytest.mark.parametrize(
    ("test", "tcp"),
    [
        ("onedrop_tahoe", {"variant": "reno"}),
        ("multiple_reno", {"variant": "newreno"}),
        ("multiple_newreno", {"variant": "reno"}),
    ],
)
def test_another_variant_draws_another_picture(test: str, tcp: dict[str, str]) -> None:
    assert suite.play("tcpVariants", test).equal
    assert not suite.play("tcpVariants", test, **tcp).equal
