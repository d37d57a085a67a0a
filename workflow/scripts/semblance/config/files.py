"""Reading of YAML files, and checks with JSON Schemas."""

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from semblance.config.enumerations import enumeration
from semblance.errors import UserError, require

SETTINGS = "config/config.yaml, --configfile or --config"  # where settings are, for messages
# Keys that were renamed, each with its present name.
RENAMED = {
    "asks": "question",
    "count": "worst",
    "for": "run",
    "ground": "evaluate_on",
    "is": "same_as",
    "keep_best": "select_stage",
    "learns": "own_task",
    "of": "measure",
    "runs_per_job": "share_jobs",
    "says": "statement",
    "score_times": "timing_repeats",
    "share": "fraction",
    "units": "matched",
}
# JSON Schema's types, as a user calls them.
TYPES = {
    "array": "a list",
    "object": "keys with values",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A safe loader that uses libyaml if available, and differs from YAML 1.1 in three points.

    A repeated key is an error; on, off, yes and no are strings; 2e-5 is a number.
    """

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":float"))]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            merges = key.tag == "tag:yaml.org,2002:merge"
            name = "<<" if merges else self.construct_object(key, deep=True)
            if name in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the key {name!r} is repeated", key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))
_BOUNDS = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}
_WHOLE = re.compile(r"^[-+]?[0-9]+$")
_NUMBER = re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$")
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _NUMBER, list("-+.0123456789"))


def read_yaml(path: Path) -> dict:
    """Return the mapping in a YAML file.

    Raises:
        UserError: if it cannot be read, or is not a mapping, with the file and the line.
    """
    try:
        value = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{path} cannot be read: {problem}") from problem
    except (ValueError, TypeError, RecursionError) as problem:  # an invalid date, a list as a key, too deep
        raise UserError(f"{path} cannot be read: {problem}") from problem
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        raise UserError(f"{path}{line}: {getattr(problem, 'problem', None) or problem}") from problem
    if not isinstance(value, dict):
        raise UserError(f"{path} must hold a mapping of keys to values")
    return value


def read_checked(path: Path, schema: Path) -> dict:
    """Return the mapping in a YAML file after checking it with its JSON Schema."""
    value = read_yaml(path)
    check(value, schema, str(path))
    return value


def with_numbers(value: object, keys: Collection[str] | None = None) -> object:
    """Return lists and mappings of Snakemake's ``--config`` with numbers in the place of their texts.

    Args:
        value: the list, mapping or text.
        keys: keys of the innermost mappings whose texts are numbers; None for all.
    """
    if isinstance(value, list):
        return [with_numbers(part, keys) for part in value]
    if isinstance(value, Mapping):
        return {
            key: with_numbers(part, keys) if keys is None or key in keys or isinstance(part, Mapping) else part
            for key, part in value.items()
        }
    if isinstance(value, str) and _WHOLE.match(value):
        return int(value)
    return float(value) if isinstance(value, str) and _NUMBER.match(value) else value


def check(value: object, schema: Path, where: str) -> None:
    """Raise UserError if `value` violates its schema, for the deepest part that does, with what was expected.

    Args:
        value: what a file or a setting contains.
        schema: path of the JSON Schema.
        where: the file or the setting, for messages.
    """
    problem = jsonschema.exceptions.best_match(_validator(schema).iter_errors(value))
    if problem is None:
        return
    while problem.context and (fitting := _of_fitting_type(problem)):
        problem = fitting
    key = ".".join(map(str, problem.absolute_path))
    place = f"{where}: {key}" if key else where
    if problem.validator == "additionalProperties" and isinstance(problem.instance, Mapping):
        known = list(problem.schema.get("properties", {}))
        for name in problem.instance:
            if name not in known and RENAMED.get(name) in known:
                raise UserError(f"{place}: the key {name!r} is now called {RENAMED[name]!r}")
            require(name, known, "key", place)
    if problem.validator == "enum":
        require(problem.instance, problem.validator_value, "value", place)
    if "propertyNames" in problem.absolute_schema_path and problem.validator == "pattern":
        allowed = problem.validator_value.strip("^+$")
        raise UserError(f"{place}: {problem.instance!r} names files as well, and must be made of {allowed} alone")
    if problem.validator == "type":
        raise UserError(f"{place}: {_other_type(problem.instance, problem.validator_value)}")
    if problem.validator == "oneOf" and not problem.context:
        alternatives = [branch["required"][0] for branch in problem.validator_value]
        raise UserError(f"{place}: give either {' or '.join(alternatives)}")
    if problem.validator in ("oneOf", "anyOf"):
        wanted = [one.validator_value for one in problem.context if one.validator == "type"]
        raise UserError(f"{place}: {_other_type(problem.instance, wanted)}")
    if problem.validator == "required":
        needed = [key for key in problem.validator_value if key not in problem.instance]
        raise UserError(f"{place}: the key {needed[0]!r} is needed here as well")
    if problem.validator == "dependentRequired":
        lacking = {key: need for key, need in problem.validator_value.items() if key in problem.instance}
        raise UserError(f"{place}: {' and '.join(f'{key} needs {need[0]} as well' for key, need in lacking.items())}")
    if problem.validator == "pattern" and "description" in problem.schema:
        raise UserError(f"{place}: {problem.instance!r} should be {problem.schema['description']}")
    if problem.validator == "minItems":
        raise UserError(f"{place}: {problem.instance} is too short: at least {problem.validator_value} are needed")
    if problem.validator in _BOUNDS:
        raise UserError(f"{place}: {problem.instance} should be {_BOUNDS[problem.validator]} {problem.validator_value}")
    raise UserError(f"{place}: {problem.message}")


def _of_fitting_type(problem: jsonschema.ValidationError) -> jsonschema.ValidationError | None:
    """Return what is wrong by the alternative of a schema that is meant; None if the type of none fits."""
    branches: dict[Any, list[jsonschema.ValidationError]] = {}
    for one in problem.context:
        branches.setdefault(one.schema_path[0], []).append(one)
    fitting = [n for n, errors in branches.items() if not any(e.validator == "type" and not e.path for e in errors)]
    if not fitting:
        return None
    given = problem.instance if isinstance(problem.instance, Mapping) else {}
    schemas: Any = problem.validator_value
    meant = max(fitting, key=lambda n: sum(key in given for key in schemas[n].get("required", ())))
    return jsonschema.exceptions.best_match(iter(branches[meant]))


def _other_type(value: object, wanted: str | list[str]) -> str:
    """Return the message for a value that is not of one of the wanted types of JSON Schema."""
    wanted = [wanted] if isinstance(wanted, str) else wanted
    example = f", such as [{value}]" if "array" in wanted and isinstance(value, str | int) else ""
    return f"{value!r} should be {' or '.join(TYPES[name] for name in wanted)}{example}"


@cache
def _validator(schema: Path) -> jsonschema.Draft202012Validator:
    """Return the validator of a schema, which can refer to others by the names of their files."""
    # Kept, because the registry retrieves a file again for every reference to it.
    retrieve = cache(lambda name: Resource.from_contents(_read(schema.parent / name), DRAFT202012))
    registry: Registry = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return jsonschema.Draft202012Validator(_read(schema), registry=registry)


def _read(schema: Path) -> Any:
    return _enumerated(read_yaml(schema))


def _enumerated(schema: Any) -> Any:
    """Replace each enumeration that is a name by the list of that name in `config.enumerations`."""
    if isinstance(schema, list):
        return [_enumerated(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    named = isinstance(schema.get("enum"), str)
    return {key: enumeration(part) if key == "enum" and named else _enumerated(part) for key, part in schema.items()}
