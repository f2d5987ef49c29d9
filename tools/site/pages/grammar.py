"""The grammar of plans and a section for each event, made of what program and package say of the events' fields."""

import json
import re

from .markdown import block, plain, table

# What stands for a parameter in an example; the events themselves say which parameters they have.
SAMPLE = {
    "noise": "2", "scale": "2", "epsilon": "1", "categories": "4", "probability": "0.5", "offset": "1", "order": "2",
    "delta": "1e-6", "rho": "0.1", "omega": "10", "mu": "0.5", "rate": "0.01", "draws": "4", "batch": "8",
    "population": "100", "reports": "1000", "records": "2", "steps": "4", "mean": "10", "PLAN": "gaussian(2)",
}  # fmt: skip
INSIDE = {"shuffle": "rr(1)"}  # what takes randomisers alone


def signatures(program):
    """Each event's name with its parameters, as the program's help writes them."""
    listed = re.search(r"^Plans: (.*?)\n\n", program.printed("--help"), re.MULTILINE | re.DOTALL)[1]
    return dict(re.findall(r"\b(\w+)\(((?:[^()]|\([^()]*\))*)\)", re.sub(r"\s+", " ", listed)))


def frame(root):
    """What surrounds the events: plans, terms, factors."""
    comment = (root / "accounting/plan/language.h").read_text(encoding="utf-8")
    return re.search(r"(?:^///     .*\n)+", comment, re.MULTILINE)[0].replace("///     ", "")


def tokens(parameters):
    return re.findall(r"\w+|\.\.\.|[^\s\w]", parameters)


def alternatives(parameters):
    """The laws of a parameter that is one of several, a(x)|b(y), and what else there is; nothing of what is not."""
    found = re.match(r"\w+\([^()]*\)(?:\|\w+\([^()]*\))+", parameters)
    return (found[0].split("|"), parameters[found.end() :]) if found else ([], parameters)


def production(name, parameters):
    """rr(epsilon[, categories]) becomes "rr" "(" epsilon [ "," categories ] ")"."""
    laws, parameters = alternatives(parameters)
    parts = [f"( {' | '.join(production(*law[:-1].split('(')) for law in laws)} )"] if laws else []
    for token in tokens(parameters):
        if token == "...":  # repeats the pair before it
            parts[-1] = f'{{ "," {" ".join(parts[-4:-1])} }}'
        elif token in "[]":
            parts.append(token)
        elif token == "of":
            parts.append('"of"')
        elif token == "PLAN":
            parts.append("event")
        else:
            parts.append(token if token.isidentifier() else f'"{token}"')
    return f'"{name}" "(" {" ".join(parts)} ")"'


def example(name, parameters):
    laws, parameters = alternatives(parameters)
    text = re.sub(r",? *\.\.\.", "", re.sub(r"\[.*?\]", "", parameters))
    sample = {**SAMPLE, "PLAN": INSIDE.get(name, SAMPLE["PLAN"])}
    arguments = re.sub(r"\w+", lambda word: word[0] if word[0] == "of" else sample[word[0]], text)
    first = example(*laws[0][:-1].split("(")) if laws else ""
    return f"{name}({first}{arguments.replace(':', ':')})"


def grammar(root, events):
    productions = [production(name, parameters) for name, parameters in events.items()]
    return frame(root) + '\nname "(" arguments ")" is one of\n\n' + "\n".join(productions)


def parameters_of(package, name):
    """Each parameter with its range, as the package's own documentation has them."""
    paragraphs = getattr(package, name).__doc__.split("\n\n")
    (before,) = (i for i, paragraph in enumerate(paragraphs) if "of the plan language: " in paragraph)
    members = re.sub(r"(It is relative|A number may)[^\0]*", "", paragraphs[before + 1])
    return [line.split(maxsplit=1) for line in members.splitlines()]


def answered(answers, citations):
    rows = []
    for answer in answers:
        bound = answer["epsilon"]
        ends = "both ends" if float(bound["lower"]) > 0 else "from above"
        link = f"[{plain(answer['accountant'])}](/docs/accountants/{answer['accountant']}.md)"
        rows.append([link, f"{bound['guarantee']}, {ends}", citations.linked("; ".join(bound["theorems"]))])
    return table(["accountant", "answers", "by"], rows)


def section(name, parameters, program, package, citations):
    text = f"## {name}\n\n`{name}({parameters})`\n\n"
    plan = example(name, parameters)
    answers = [one for one in program.json("compare", plan, "--delta", "1e-5")["answers"] if "epsilon" in one]
    quickest = min(answers, key=lambda answer: answer["seconds"])["accountant"]
    assumed = program.assumed(plan, quickest)[name]
    text += plain(assumed[0].upper() + assumed[1:]) + ".\n\n"
    text += table(["parameter", "range"], [[f"`{one}`", plain(rest)] for one, rest in parameters_of(package, name)])
    described = package.Plan(plan)
    event = json.loads(described.json())["event"]
    text += f"`{plan}` is analysed under `{described.adjacency}` unless told otherwise. In JSON:\n\n"
    text += block(json.dumps(event), "json")
    return text + f"Who answers for `{plan}` at delta 1e-5:\n\n" + answered(answers, citations)


def pages(root, program, package, citations):
    events = signatures(program)
    known = {name for name in dir(package._core.events) if not name.startswith("_")}
    if known != events.keys():
        raise RuntimeError(f"help and package disagree on events: {sorted(known ^ events.keys())}")
    text = (
        "# Grammar of plans\n\n[The plan language](/docs/plans.md) explains it; here is all of it, made of what "
        "the events "
        "say of themselves. Every production is the event's own description, and every section asks the program.\n\n"
    )
    text += block(grammar(root, events))
    text += (
        "`count`, `reports`, `draws` and the like are integers, the thousands of a count before `x` may be "
        "separated; a rate is a "
        "number in [0, 1], or exactly `m of n` or `m/n`; all else are numbers, whose ranges stand below. A `#` "
        "starts a comment. "
        "`nothing` releases nothing. One number at most may be `?`, which `solve` finds. A plan that names no "
        "adjacency has "
        "the one under which its sampling is analysed. The form in JSON is described by "
        "[the schema of plans](plan_schema.md).\n\n"
    )
    text += "".join(section(name, events[name], program, package, citations) for name in events)
    return {"reference/grammar": text}
