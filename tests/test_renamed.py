"""Modules and classes of earlier versions are found under their old names."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from interstage._renamed import CLASSES, MODULES, NAMES, current_name, first_name
from interstage.simulation.plant.serialization import Program, code_of


@pytest.mark.parametrize("old", sorted(MODULES))
def test_an_old_module_is_the_new_one(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    if "gpu" in old:
        pytest.importorskip("numba.cuda")
    new = import_module(MODULES[old])
    spec = new.__spec__
    with pytest.warns(DeprecationWarning, match=MODULES[old]):
        assert import_module(old) is new
    assert new.__spec__ is spec and new.__name__ == MODULES[old]


def test_tables_lead_to_what_exists_in_one_step():
    assert [new for new in MODULES.values() if new in MODULES] == []
    assert [new for new in CLASSES.values() if new.partition(":")[0] in MODULES or new in CLASSES] == []


@pytest.mark.parametrize("old", sorted(CLASSES))
def test_files_find_renamed_classes(old):
    module, _, name = CLASSES[old].partition(":")
    cls = getattr(import_module(module), name)
    assert isinstance(cls, type) and code_of(old) is cls
    assert Program(modules=[module]).code(old, None) is cls


def test_names_that_did_not_change_stay():
    assert current_name("__main__(script):Law.run") == "__main__(script):Law.run"
    assert current_name("interstage.kane.layout:Layout.x") == "interstage.kane.layout:ModelConstants.x"


RENAMED = sorted((package, old) for package, names in NAMES.items() for old in names)


@pytest.mark.parametrize(("package", "old"), RENAMED)
def test_an_old_public_name_is_the_new_one_and_warns(package, old):
    """It is found in the package and in the module that defines it, which files and scripts of users may name."""
    new = NAMES[package][old]
    home = import_module(package)
    thing = getattr(home, new)
    assert old not in dir(home) and old not in vars(home)
    defines = getattr(thing, "__module__", package)
    modules = [package, *([defines] if "__getattr__" in vars(import_module(defines)) else [])]
    for module in modules:
        with pytest.warns(DeprecationWarning, match=f"{module}.{old} is now {new}"):
            assert getattr(import_module(module), old) is thing
    with pytest.warns(DeprecationWarning) as found:
        exec(f"from {package} import {old}", scope := {})
    assert scope[old] is thing and {Path(one.filename).name for one in found} == {"<string>"}


@pytest.mark.parametrize(("package", "old"), RENAMED)
def test_files_find_renamed_public_classes(package, old, recwarn):
    thing = getattr(import_module(package), NAMES[package][old])
    if isinstance(thing, type) and thing.__module__.startswith(f"{package}."):
        assert code_of(f"{thing.__module__}:{old}") is thing
        assert first_name(thing) in NAMES[package]
    assert not recwarn.list


def test_names_that_are_unknown_stay_unknown():
    from interstage import kane

    with pytest.raises(AttributeError, match="nothing"):
        _ = kane.nothing
    assert [new for names in NAMES.values() for new in names.values() if new in names] == []


def test_no_old_module_hides_a_public_name():
    """The import system binds a module to its name in the package: a function of that name would be lost."""
    homes = {old: MODULES.get(home, home) for old in MODULES for home in [old.rpartition(".")[0]]}
    public = {
        home: getattr(import_module(home), "__all__", ()) for home in {*homes.values()} if "gpu" not in home
    }
    assert [old for old, home in homes.items() if old.rpartition(".")[2] in public.get(home, ())] == []
