// Reads JUnit files with the parsers of two widely used GitHub actions, and prints what each of them makes of a file: the same
// lines as read.py. A parser that is not installed is named on the standard error and left out.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// From the folder where the parsers are installed, not from the one where this file lies.
const load = createRequire(join(process.cwd(), "kit.js"));
const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function told(path, parser, suites) {
  const cases = suites.flatMap(({ name, cases }) => cases.map((one) => [name, one.classname, one.name, one.state]));
  const total = (key) => suites.reduce((sum, suite) => sum + Number(suite[key]), 0);
  const [tests, failures, errors, skipped] = ["tests", "failures", "errors", "skipped"].map(total);
  console.log(JSON.stringify({ file: path, parser, tests, failures, errors, skipped, cases }));
}

const stateOf = (has) => (has("failure") ? "failed" : has("error") ? "error" : has("skipped") ? "skipped" : "passed");

const PARSERS = {
  // dorny/test-reporter
  xml2js: async (path, { parseStringPromise }) => {
    const parsed = await parseStringPromise(readFileSync(path, "utf8"));
    const suites = list(parsed.testsuites.testsuite ?? []).map((suite) => ({
      ...suite.$,
      cases: list(suite.testcase).map((one) => ({ ...one.$, state: stateOf((key) => key in one) })),
    }));
    told(path, "xml2js", suites);
  },
  // mikepenz/action-junit-report
  "xml-js": async (path, { xml2js }) => {
    const parsed = xml2js(readFileSync(path, "utf8"), { compact: true });
    const suites = list(parsed.testsuites.testsuite).map((suite) => ({
      ...suite._attributes,
      cases: list(suite.testcase).map((one) => ({ ...one._attributes, state: stateOf((key) => key in one) })),
    }));
    told(path, "xml-js", suites);
  },
};

for (const [name, read] of Object.entries(PARSERS)) {
  let parser;
  try {
    parser = load(name);
  } catch {
    console.error(`absent: ${name}`);
    continue;
  }
  for (const path of process.argv.slice(2)) await read(path, parser);
}
