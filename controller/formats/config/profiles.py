"""Profiles: a house's rules as TOML, every key known, every choice with its source.

A profile has ``name``, ``title``, the tables ``[rules]`` and ``[options]``, one ``[side_bets.NAME]`` for each side
wager offered, and ``[sources]``: for each rule and side wager the card or regulation it comes from. A table file may
give other values of any of them in its own ``[options]``; ``blazing7s.stake_cents`` there speaks of a side wager.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from controller.core.game.rule_checks import RuleFinding, doubtful_rules, impossible_rules, impossible_values
from controller.core.game.rules import Options, Rules, SideBetTerms
from controller.core.game.side_bet import find
from controller.core.game.side_bet import names as side_bet_names
from controller.formats.text.safe_parse import toml_of
from controller.formats.text.struct_decoder import Mistake, decode, expected, hint
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_positions import key_lines, line_of
from controller.formats.text.toml_schema import syntax_line
from firmware_protocols.values import Value

TABLES: Final = ("name", "title", "rules", "options", "side_bets", "sources")
OPTION_KEYS: Final = frozenset(Options.__struct_fields__)
RULE_KEYS: Final = frozenset(Rules.__struct_fields__) - {"name", "options", "side_bets", "side_bet_terms"}
SILENT_KEYS: Final = frozenset({"handling", "signals", "point_count", "settled_before_play"})
"""Rules that a profile may leave out: they decide no money, and what is left out is what no card says."""
TERM_KEYS: Final = frozenset(SideBetTerms.__struct_fields__)


TABLES_OWN: Final = "[options] of the table file"
"""The source of what a table file overrides."""


class ProfileError(ValueError):
    """A profile that cannot be used: ``lines`` has one line of text for each mistake, naming file, line and key."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class OptionsRefused(ProfileError):  # noqa: N818 - named for what happened
    """The profile can be used, and not with the options that a table or a case gives; ``wrong`` says why, by key."""

    def __init__(self, where: str, wrong: tuple[tuple[str, str], ...]) -> None:
        super().__init__(tuple(f"{where}: [options] {key}: {text}" for key, text in wrong))
        self.wrong = wrong


class Profile(Value, frozen=True, tag=False):
    """A profile as read: the rules, and where each choice comes from."""

    rules: Rules
    title: str
    sources: dict[str, str]
    """By rule and by side wager; by ``NAME.TERM`` that of the usual terms which a side wager's table leaves out."""
    hash: str
    """SHA-256 of the rules and options in force, in hex."""
    warnings: tuple[str, ...] = ()
    """Doubtful choices, one line each."""


class ProfileDraft(NamedTuple):
    """A profile's plain data turned into values, before the combinations are looked at."""

    rules: Rules
    title: str
    sources: dict[str, str]


def read(text: str, where: str, options: Mapping[str, Any] | None = None) -> Profile:
    """A profile from its text, with a table's ``options``; ``where`` names the file in errors.

    Raises:
        ProfileError: not TOML, an unknown key, a wrong type, a float, a rule that is missing or has no source, or rules
            that cannot be together; every mistake with its line.
        OptionsRefused: the options are wrong, or make rules that cannot be together.
    """
    try:
        data = toml_of(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError((syntax_line(text, where, str(error)),)) from error
    lines = key_lines(text)
    mistakes: list[Mistake] = []
    base = _decoded(data, mistakes)
    if base is None or mistakes:
        raise ProfileError(tuple(_placed(where, lines, mistakes)))
    rules, wrong = with_options(base.rules, options or {})
    if wrong:
        raise OptionsRefused(where, wrong)
    found, own = list(impossible_rules(rules)), list(impossible_rules(base.rules))
    broken = [Mistake(_path(one), one.text) for one in found if one in own]
    if broken:
        raise ProfileError(tuple(_placed(where, lines, broken)))
    if found:
        raise OptionsRefused(where, tuple((_option(one), one.text) for one in found))
    doubtful, own = list(doubtful_rules(rules)), list(doubtful_rules(base.rules))
    warnings = _placed(where, lines, [Mistake(_path(one), one.text) for one in doubtful if one in own])
    warnings += [f"[options] {_option(one)}: {one.text}" for one in doubtful if one not in own]
    sources = sources_with(base.sources, options or {}, TABLES_OWN)
    return Profile(rules, base.title, sources, hash_of(rules), tuple(warnings))


def sources_with(sources: Mapping[str, str], options: Mapping[str, Any], given_in: str) -> dict[str, str]:
    """Where each choice comes from once ``options``, given in ``given_in``, have overridden some of them.

    No card of the profile says what an option does. Of a side wager the profile's source still speaks of the terms that
    stay, so the overridden ones are named after it.
    """
    found = dict(sources)
    for key in _flat(options):
        name, _, term = key.partition(".")
        if term:
            found[key] = given_in
            found[name] = "; ".join(filter(None, (found.get(name, ""), f"{term}: {given_in}")))
        elif key in RULE_KEYS:
            found[key] = given_in
    return found


def hash_of(rules: Rules) -> str:
    """SHA-256, in hex, of the rules and options in force; equal rules have equal hashes however they are written."""
    return hashlib.sha256(msgspec.json.encode(rules, order="deterministic")).hexdigest()


def with_options(rules: Rules, options: Mapping[str, Any]) -> tuple[Rules, tuple[tuple[str, str], ...]]:
    """The rules with a table's own choices, and what is wrong with these, by key.

    A key is an option, a rule, ``side_bets`` (a list of names), or ``NAME.KEY`` for a term or choice of a side wager
    (quoted or not: TOML reads the latter as a table of that name).
    """
    mistakes: list[Mistake] = []
    options = _flat(options)
    chosen = {key: value for key, value in options.items() if key in OPTION_KEYS}
    changed = {key: value for key, value in options.items() if key in RULE_KEYS}
    offered = options.get("side_bets")
    if offered is not None:
        changed["side_bets"] = offered
    found_options = decode(Options, {**msgspec.to_builtins(rules.options), **chosen}, (), mistakes)
    plain = {key: getattr(rules, key) for key in (*RULE_KEYS, "name", "side_bets")}
    found = decode(Rules, {**plain, **changed}, (), mistakes)
    if found is not None and found_options is not None:
        found = replace(found, options=found_options, side_bet_terms=rules.side_bet_terms)
    # Names and terms are held against what is offered also where another value is wrong: all is said at once.
    after = found or replace(rules, side_bets=_named_bets(offered, rules), side_bet_terms=rules.side_bet_terms)
    for key, value in options.items():
        if key not in {*chosen, *changed}:
            after = _with_term(after, key, value, mistakes)
    found = None if found is None else with_terms(after)
    wrong = tuple((".".join(str(part) for part in one.path), one.text) for one in mistakes)
    return (rules if found is None else found), wrong


def _named_bets(offered: object, rules: Rules) -> tuple[str, ...]:
    """The side wagers that options name, as far as they can be read; else all, so that none counts as left out."""
    if offered is None:
        return rules.side_bets
    if isinstance(offered, list | tuple) and all(isinstance(one, str) for one in offered):
        return tuple(offered)
    return side_bet_names()


def option_mistakes(options: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What is wrong with a table's options whatever its profile, by key; side wagers' terms are left to ``read``."""
    flat = _flat(options)
    known = {key: value for key, value in flat.items() if "." not in key and not isinstance(value, Mapping)}
    return with_options(Rules(name=""), known)[1]


def _flat(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with a side wager's table written as ``NAME.KEY``.

    ``even_money`` is a rule (true or false: whether it is offered) and, with the name of a sign, the procedure that
    shows it (``even_money_shown``).
    """
    flat: dict[str, Any] = {}
    for key, value in options.items():
        if key == "even_money" and value in ("key", "chips"):
            flat["even_money_shown"] = value
        elif key in side_bet_names() and isinstance(value, Mapping):
            flat |= {f"{key}.{term}": worth for term, worth in value.items()}
        else:
            flat[key] = value
    return flat


def with_terms(rules: Rules) -> Rules:
    """The rules with the terms of every side wager written out, and of no other."""
    terms = {
        name: rules.side_bet_terms.get(name) or find(name).usual for name in rules.side_bets if name in side_bet_names()
    }
    return replace(rules, side_bet_terms=terms)


def _with_term(rules: Rules, key: str, value: object, mistakes: list[Mistake]) -> Rules:
    """The rules with one term or choice of a side wager changed: ``blazing7s.stake_cents``."""
    name, _, term = key.partition(".")
    if wrong := _wrong_name(rules, key, value, mistakes):
        mistakes.append(Mistake((key,), wrong))
        return rules
    plain = msgspec.to_builtins(rules.side_bet_terms.get(name, find(name).usual))
    if term in TERM_KEYS:
        plain[term] = value
    else:
        plain["choices"] = {**plain["choices"], term: value}
    found = decode(SideBetTerms, plain, (name,), mistakes)
    if found is None:
        return rules
    return replace(rules, side_bet_terms={**rules.side_bet_terms, name: found})


def _wrong_name(rules: Rules, key: str, value: object, mistakes: list[Mistake]) -> str:
    """What is wrong with the name of an option that is not of the table itself; empty: a side wager's, as offered."""
    name, _, term = key.partition(".")
    if not term and not isinstance(value, Mapping):
        return f"unknown key{hint(key, OPTION_KEYS | RULE_KEYS | {'side_bets'}, mistakes)}"
    wagers = side_bet_names()
    if name not in wagers:
        return f"unknown side wager; expected one of {', '.join(wagers)}{hint(name, wagers, mistakes)}"
    if name not in rules.side_bets and set(rules.side_bets) <= set(wagers):
        offered = ", ".join(rules.side_bets) or "none"
        return f"{name} is not among the side wagers offered ({offered}); leave this out, or name it in side_bets"
    known = (*SideBetTerms.__struct_fields__, *find(name).choices)
    return "" if term in known else f"unknown key; expected one of {', '.join(known)}{hint(term, known, mistakes)}"


def _decoded(data: Mapping[str, Any], mistakes: list[Mistake]) -> ProfileDraft | None:
    """A profile's plain data as values; what is wrong goes to ``mistakes``."""
    spare, every = set(TABLES) - data.keys(), f"; expected one of {', '.join(TABLES)}"
    for key in (one for one in data if one not in TABLES):
        mistakes.append(Mistake((key,), f"unknown key{hint(key, spare, mistakes) or every}"))
    for key in ("rules", "options", "side_bets", "sources"):
        if not isinstance(data.get(key, {}), Mapping):
            mistakes.append(Mistake((key,), f"expected one section, headed [{key}]"))
            return None
    name, title = data.get("name"), data.get("title", data.get("name"))
    if not (isinstance(name, str) and name and isinstance(title, str)):
        mistakes.append(Mistake(("name",), "expected the profile's name, text"))
        if "rules" not in data:
            # No profile at all: a line for each rule that it lacks would tell nothing more.
            return None
        name = title = ""
    given = data.get("rules", {})
    for key in sorted(given.keys() & (frozenset(Rules.__struct_fields__) - RULE_KEYS)):
        mistakes.append(Mistake(("rules", key), "unknown key: it has a place of its own in a profile"))
    for key in sorted(given.keys() & (OPTION_KEYS - frozenset(Rules.__struct_fields__))):
        mistakes.append(Mistake(("rules", key), "unknown key: it belongs in [options]"))
    elsewhere = OPTION_KEYS.union(Rules.__struct_fields__) - RULE_KEYS
    known = {key: value for key, value in given.items() if key not in elsewhere}
    rules = decode(Rules, {**known, "name": name}, ("rules",), mistakes)
    mistakes += _missing_rules(given, mistakes)
    options = decode(Options, data.get("options", {}), ("options",), mistakes)
    terms = _terms(data.get("side_bets", {}), mistakes)
    sources = {str(key): str(value) for key, value in data.get("sources", {}).items()}
    if not any("did you mean sources?" in one.text for one in mistakes):
        mistakes += _source_mistakes(data, sources)
    if mistakes:
        mistakes += _wrong_values(known, data.get("options", {}), terms, mistakes)
    if rules is None or options is None:
        return None
    rules = replace(rules, options=options, side_bets=tuple(terms), side_bet_terms=terms)
    for name, table in data.get("side_bets", {}).items():
        for term in (one for one in SideBetTerms.__struct_fields__ if name in terms and one not in table):
            sources[f"{name}.{term}"] = f"not in the profile: usual terms of {find(name).title} ({find(name).source})"
    return ProfileDraft(with_terms(rules), title, sources)


def _wrong_values(
    rules: Mapping[str, Any], options: Mapping[str, Any], terms: dict[str, SideBetTerms], mistakes: list[Mistake]
) -> list[Mistake]:
    """What no table can play among the values of a profile that has ``mistakes`` besides: so that all are told."""
    wrong = {one.path[:2] for one in mistakes}
    own = {key: one for key, one in rules.items() if key in RULE_KEYS and ("rules", key) not in wrong}
    chosen = {key: one for key, one in options.items() if key in OPTION_KEYS and ("options", key) not in wrong}
    sound, known = decode(Rules, {**own, "name": "-"}, (), []), decode(Options, chosen, (), [])
    assert sound is not None
    assert known is not None, "what cannot be read is left out"
    found = impossible_values(replace(sound, options=known, side_bets=tuple(terms), side_bet_terms=terms))
    return [Mistake(_path(one), one.text) for one in found]


def _missing_rules(given: Mapping[str, Any], mistakes: list[Mistake]) -> list[Mistake]:
    """Rules that decide money and are not stated: nothing is played that no card or person of the house has said."""
    slips = {word for one in mistakes for word in one.text.partition("did you mean ")[2:]}
    if "rules?" in slips:
        return []
    return [
        Mistake(("rules", field.name), f"missing, expected {expected(field.type)}")
        for field in msgspec.structs.fields(Rules)
        if field.name in RULE_KEYS - SILENT_KEYS - given.keys() and f"{field.name}?" not in slips
    ]


def _terms(tables: Mapping[str, Any], mistakes: list[Mistake]) -> dict[str, SideBetTerms]:
    """The terms of each side wager; a table without a key takes the usual value."""
    terms: dict[str, SideBetTerms] = {}
    for name, table in tables.items():
        path: KeyPath = ("side_bets", name)
        if name not in side_bet_names():
            mistakes.append(Mistake(path, f"unknown side wager; expected one of {', '.join(side_bet_names())}"))
        elif not isinstance(table, Mapping):
            mistakes.append(Mistake(path, f"expected one section, headed [side_bets.{name}]"))
        else:
            misplaced = table.keys() & find(name).choices.keys()
            mistakes += [Mistake((*path, key), f"belongs in [side_bets.{name}.choices]") for key in sorted(misplaced)]
            own = {key: value for key, value in table.items() if key not in misplaced}
            found = decode(SideBetTerms, own, path, mistakes)
            given = {} if found is None else {key: getattr(found, key) for key in own}
            terms[name] = replace(find(name).usual, **given)
    return terms


def _source_mistakes(data: Mapping[str, Any], sources: Mapping[str, str]) -> list[Mistake]:
    """Rules and side wagers without a source, and sources of nothing.

    That a rule is missing, or that a key is the name of none, is said already.
    """
    chosen = [(table, key) for table in ("rules", "side_bets") for key in data.get(table, {})]
    named: dict[str, Collection[str]] = {"rules": RULE_KEYS, "side_bets": side_bet_names()}
    missing = [
        Mistake(path, f'expected the card or regulation it comes from, in [sources]: {path[1]} = "..."')
        for path in chosen
        if path[1] in named[path[0]] and not sources.get(path[1])
    ]
    known = {key for _, key in chosen} | (RULE_KEYS - SILENT_KEYS)
    stray = [Mistake(("sources", key), "names no rule or side wager above") for key in sources if key not in known]
    return missing + stray


def _path(finding: RuleFinding) -> KeyPath:
    """Where in a profile the key of a finding stands."""
    return finding.key if finding.key[0] in {"options", "side_bets"} else ("rules", *finding.key)


def _option(finding: RuleFinding) -> str:
    """By which key a table's options set what a finding is about."""
    table, *rest = finding.key
    if table != "side_bets":
        return ".".join(rest or finding.key)
    # A choice of a side wager is named without the table that it stands in there.
    return ".".join(one for one in rest if one != "choices") if rest and rest[0] in side_bet_names() else table


def _placed(where: str, lines: Mapping[KeyPath, int], mistakes: list[Mistake]) -> list[str]:
    """Each mistake as a line: file, line, table, key, what is wrong."""
    placed = sorted((line_of(dict(lines), one.path), _place(one.path), one.text) for one in mistakes)
    return [f"{where}:{line}: {place}{text}" for line, place, text in placed]


def _place(path: KeyPath) -> str:
    """``("side_bets", "ez_bust", "pays")`` -> ``[side_bets.ez_bust] pays: ``."""
    names_ = [str(one) for one in path]
    if len(names_) == 1:
        return f"{names_[0]}: "
    depth = 2 if names_[0] == "side_bets" and len(names_) > 2 else 1
    return f"[{'.'.join(names_[:depth])}] {'.'.join(names_[depth:])}: "
