#!/usr/bin/env python3
"""Every example of run.json validates against reports/schema/run.schema.json, and damaged ones do not.

The examples are what the code writes: tests/reports/golden_test.cpp compares them byte by byte.
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is missing (apt-get install python3-jsonschema)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "reports/schema/run.schema.json").read_text())
EXAMPLES = sorted((ROOT / "reports/schema/examples").glob("*.json"))
RICHEST = ROOT / "reports/schema/examples/model-cpu.json"

# Members that no example has.
UNSEEN = set()


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def strict_load(text):
    """Python's own reader takes NaN and Infinity, which no other does."""
    return json.loads(text, parse_constant=refuse_constant)


def edit(path, value):
    """A damage: sets the member at `path`, or removes it when `value` is DELETE."""

    def apply(document):
        *way, last = path
        for key in way:
            document = document[key]
        if value is DELETE:
            del document[last]
        else:
            document[last] = value

    return apply


DELETE = object()
CASE = ("cases", 0)

DAMAGES = {
    "a missing section": edit(("environment",), DELETE),
    "a missing schema version": edit(("schema_version",), DELETE),
    "a newer schema version": edit(("schema_version",), 3),
    "a missing unit": edit((*CASE, "summaries", 0, "unit"), DELETE),
    "a missing host time": edit((*CASE, "samples", 0, "host_ns"), DELETE),
    "a kind that is none": edit((*CASE, "summaries", 1, "kind"), "duration"),
    "a time of a phase that is not named": edit((*CASE, "summaries", 2, "phase"), DELETE),
    "half an interval": edit((*CASE, "summaries", 1, "low"), DELETE),
    "null for a number": edit((*CASE, "summaries", 0, "value"), None),
    "text for a number": edit((*CASE, "summaries", 0, "value"), "3487"),
    "a fraction for a count": edit((*CASE, "samples", 0, "host_ns"), 1.5),
    "a negative duration": edit((*CASE, "samples", 0, "host_ns"), -1),
    "a sample without steps": edit((*CASE, "samples", 0, "steps"), 0),
    "a boolean parameter": edit((*CASE, "parameters", "context"), True),
    "an unknown status": edit((*CASE, "status"), "fine"),
    "a failure without a reason": edit(("cases", 3, "reason"), DELETE),
    "a reason without a sentence": edit(("cases", 3, "reason", "text"), ""),
    "a warning that is text alone": edit((*CASE, "warnings"), ["odd"]),
    "an unknown number of steps": edit((*CASE, "policy", "steps"), "many"),
    "cases that are no list": edit(("cases",), {}),
    "a date that is none": edit(("run", "begin_utc"), "yesterday"),
    "a misspelled member of a case": edit((*CASE, "warning"), []),
    "a misspelled member of a sample": edit((*CASE, "samples", 0, "host_us"), 1),
    "a misspelled member of the run": edit(("run", "lable"), ""),
    "an unknown member at the top": edit(("notes",), []),
}


def seen_members(value, found):
    if isinstance(value, dict):
        found.update(value)
        for item in value.values():
            seen_members(item, found)
    elif isinstance(value, list):
        for item in value:
            seen_members(item, found)


def main():
    failures = []
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)

    documents = {path.name: strict_load(path.read_text()) for path in EXAMPLES}
    if len(documents) < 2:
        failures.append(f"expected two examples or more, found {sorted(documents)}")
    for name, document in documents.items():
        for error in validator.iter_errors(document):
            failures.append(f"{name}: {error.json_path}: {error.message}")

    whole = documents[RICHEST.name]
    for name, damage in DAMAGES.items():
        document = copy.deepcopy(whole)
        damage(document)
        if validator.is_valid(document):
            failures.append(f"accepted {name}")
    for constant in ("NaN", "Infinity", "-Infinity"):
        text = json.dumps(whole).replace("3487000000.0", constant)
        assert constant in text, "the example no longer holds the number that this test replaces"
        try:
            strict_load(text)
            failures.append(f"accepted {constant}")
        except ValueError:
            pass

    # A member that the schema names and the code never writes is a misspelling on one of both sides.
    named = set(SCHEMA["properties"])
    for definition in SCHEMA["$defs"].values():
        named.update(definition.get("properties", {}))
    seen = set()
    for document in documents.values():
        seen_members(document, seen)
    for member in sorted(named - seen - UNSEEN):
        failures.append(f"no example has the member {member}")

    for definition in [SCHEMA, *SCHEMA["$defs"].values()]:
        for member, meaning in definition.get("properties", {}).items():
            if "description" not in meaning and "$ref" not in meaning:
                failures.append(f"{member} has no description")

    for failure in failures:
        print(failure)
    print(f"{len(documents)} examples, {len(DAMAGES) + 3} damaged documents: {'FAILED' if failures else 'ok'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
