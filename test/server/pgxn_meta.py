# Prints what META.json of a release lacks or gets wrong by the specification of PGXN, version 1.0.0.
# usage: pgxn_meta.py FOLDER
import json
import os
import re
import sys

REQUIRED = ("abstract", "license", "maintainer", "meta-spec", "name", "provides", "version")
OPTIONAL = ("description", "generated_by", "no_index", "prereqs", "release_status", "resources", "tags")
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$")

release = sys.argv[1]
with open(release + "/META.json") as file:
    meta = json.load(file)
wrong = [key for key in REQUIRED if not meta.get(key)]
wrong += [key for key in meta if key not in REQUIRED + OPTIONAL and not key.lower().startswith("x_")]
if wrong:
    sys.exit("missing or unknown: " + ", ".join(wrong))
if not re.match(r"[^/\\\s]{2,}$", meta["name"]):
    wrong.append("name")
if not VERSION.match(meta["version"]):
    wrong.append("version")
if meta["meta-spec"].get("version") != "1.0.0":
    wrong.append("meta-spec")
if meta.get("release_status", "stable") not in ("stable", "testing", "unstable"):
    wrong.append("release_status")
if meta["license"] != "postgresql":
    wrong.append("license")
wrong += ["tag " + tag for tag in meta.get("tags", []) if not 1 <= len(tag) <= 255 or "/" in tag or "\\" in tag]
for name, part in meta["provides"].items():
    if not os.path.isfile(f"{release}/{name}.control") or not VERSION.match(part.get("version", "")):
        wrong.append("provides " + name)
    wrong += [part[key] for key in ("file", "docfile") if not os.path.isfile(f"{release}/{part.get(key)}")]
for phase, relations in meta.get("prereqs", {}).items():
    if phase not in ("configure", "build", "test", "runtime", "develop"):
        wrong.append("prereqs " + phase)
    for relation, wanted in relations.items():
        if relation not in ("requires", "recommends", "suggests", "conflicts"):
            wrong.append("prereqs " + relation)
        wrong += ["prereqs " + name for name, least in wanted.items() if least != 0 and not VERSION.match(least)]
for name, resource in meta.get("resources", {}).items():
    if name not in ("homepage", "bugtracker", "repository") or name == "repository" and not {"url", "type"} <= set(resource):
        wrong.append("resources " + name)
print("\n".join(wrong), end="")
