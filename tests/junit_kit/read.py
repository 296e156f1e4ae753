"""Reads JUnit files with parsers that CI systems are built on, and prints what each of them makes of a file.

One line of JSON a file and parser: {"file", "parser", "tests", "failures", "errors", "skipped", "cases": [[suite, class, name, state]]}.
A parser that is not installed is named on the standard error and left out; one that refuses a file ends the run.
"""

import json
import sys
import xml.parsers.expat


def by_expat(path):
    """The strict parser under most XML of Python; the states are told from the elements alone."""
    found, stack, cases = {"failure": 0, "error": 0, "skipped": 0}, [], []

    def start(name, attributes):
        if name == "testsuite":
            stack.append(attributes["name"])
        elif name == "testcase":
            cases.append([stack[-1], attributes["classname"], attributes["name"], "passed"])
        elif name in found:
            found[name] += 1
            cases[-1][3] = {"failure": "failed", "error": "error", "skipped": "skipped"}[name]

    parser = xml.parsers.expat.ParserCreate()
    parser.StartElementHandler = start
    with open(path, "rb") as file:
        parser.ParseFile(file)
    return len(cases), found["failure"], found["error"], found["skipped"], cases


def by_junitparser(path):
    import junitparser

    states = {junitparser.Failure: "failed", junitparser.Error: "error", junitparser.Skipped: "skipped"}
    totals, cases = [0, 0, 0, 0], []
    for suite in junitparser.JUnitXml.fromfile(path):
        for at, count in enumerate((suite.tests, suite.failures, suite.errors, suite.skipped)):
            totals[at] += count
        for case in suite:
            state = states[type(case.result[0])] if case.result else "passed"
            cases.append([suite.name, case.classname, case.name, state])
    return (*totals, cases)


def by_lxml(path):
    """With the totals that the suites state, as Jenkins and GitLab show them."""
    from lxml import etree

    # The parser's own limit on one text is 10 MB, and GitLab keeps it.
    root = etree.parse(path, etree.XMLParser(huge_tree=False, resolve_entities=False)).getroot()
    totals, cases = [0, 0, 0, 0], []
    for suite in root.iter("testsuite"):
        for at, key in enumerate(("tests", "failures", "errors", "skipped")):
            totals[at] += int(suite.get(key))
        for case in suite.iter("testcase"):
            float(case.get("time"))
            state = "passed"
            for name, word in (("failure", "failed"), ("error", "error"), ("skipped", "skipped")):
                if case.find(name) is not None:
                    state = word
            cases.append([suite.get("name"), case.get("classname"), case.get("name"), state])
    return (*totals, cases)


PARSERS = [("expat", by_expat), ("junitparser", by_junitparser), ("lxml", by_lxml)]


def main():
    for parser, read in PARSERS:
        for path in sys.argv[1:]:
            try:
                tests, failures, errors, skipped, cases = read(path)
            except ImportError as error:
                print(f"absent: {error.name}", file=sys.stderr)
                break
            print(
                json.dumps(
                    {
                        "file": path,
                        "parser": parser,
                        "tests": tests,
                        "failures": failures,
                        "errors": errors,
                        "skipped": skipped,
                        "cases": cases,
                    }
                )
            )


main()
