"""What is no profile is told by its content, with the command that takes it."""

import pytest

from dse.cli.main import main


@pytest.mark.parametrize(
    ("data", "command"),
    [
        (b"\x03\x42OTF2rest", "dse trace profile"),
        (b"#Paraver (27/11/2026 at 10:00):1_ns:1(1):1:1(1:1)\n", "dse trace profile"),
        (b"anchor.xml".ljust(257, b"\0") + b"ustar", "dse fit"),
        (b"PK\x03\x04rest", "dse fit"),
        (b"3 templated_functions_MULTI_TIME\n", "dse fit"),
        (b"HPCTOOLKITmeta\4\0", "dse fit"),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE a [' + b" " * 9000 + b']>\n<HPCToolkitExperiment version="2.2">',
            "dse fit",
        ),
        (b"\x3a\x0a\x06schema\x12\x121.0.2-chakra.0.0.4", "dse trace profile"),
    ],
)
def test_profile_import_says_which_command_takes_a_file(tmp_path, capsys, data, command):
    path = tmp_path / "measured"
    path.write_bytes(data)
    with pytest.raises(SystemExit) as ended:
        main(["profile", "import", str(path), str(tmp_path / "out.json")])
    assert ended.value.code == 2
    assert command in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out.json").exists()


def test_a_folder_that_is_a_database_of_hpctoolkit_is_known(tmp_path, capsys):
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "meta.db").write_bytes(b"HPCTOOLKITmeta")
    with pytest.raises(SystemExit) as ended:
        main(["profile", "import", str(tmp_path / "db"), str(tmp_path / "out.json")])
    assert ended.value.code == 2
    assert "a database of HPCToolkit" in " ".join(capsys.readouterr().err.split())
