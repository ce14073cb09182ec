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
