"""Modules and classes of earlier versions are found under their old names."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from interstage._renamed import CLASSES, MODULES, current_name
from interstage.system.plant.serialization import Program, code_of


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
    assert isinstance(cls, type) and code_of(old) is cls and Program().code(old, None) is cls


def test_names_that_did_not_change_stay():
    assert current_name("__main__(script):Law.run") == "__main__(script):Law.run"
    assert current_name("interstage.kane.layout:Layout.x") == "interstage.kane.layout:ModelConstants.x"


def test_old_names_of_a_package_warn():
    from interstage import kane

    with pytest.warns(DeprecationWarning, match="ModelConstants"):
        assert kane.Layout is kane.ModelConstants
    with pytest.raises(AttributeError, match="nothing"):
        _ = kane.nothing


def test_no_old_module_hides_a_public_name():
    """The import system binds a module to its name in the package: a function of that name would be lost."""
    homes = {old: MODULES.get(home, home) for old in MODULES for home in [old.rpartition(".")[0]]}
    public = {
        home: getattr(import_module(home), "__all__", ()) for home in {*homes.values()} if "gpu" not in home
    }
    assert [old for old, home in homes.items() if old.rpartition(".")[2] in public.get(home, ())] == []
