"""A copy of the program that is a newer version: another number, and a database with more in it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import wartable
from waiting import ran
from wartable.server.manifest import digest_of, manifest, package
from wartable.server.records import migrations

VERSION = "99.0.0"
COLUMN = "remark"
MIGRATION = '''"""A version that only adds something."""

import sqlalchemy as sa
from alembic import op

revision = "{new}"
down_revision = "{old}"


def upgrade() -> None:
    """Add a column that older programs need not know."""
    op.add_column("servers", sa.Column("{column}", sa.Text))
'''


class NewerProgram:
    """A folder with a newer version of the package, and the digest of its files."""

    def __init__(self, folder: Path, adds: bool = True) -> None:
        """Copy the package; `adds` says whether its database has only more than ours."""
        self.folder, old = folder, migrations.current()
        self.database = f"{old}.1" if adds else f"{int(old) + 1:04}"
        root = folder / "wartable"
        shutil.copytree(package(), root)
        init = root / "__init__.py"
        text = init.read_text()
        assert text.count(f'"{wartable.__version__}"') == 1
        init.write_text(text.replace(wartable.__version__, VERSION))
        records = root / "server" / "records"
        name = f"v{self.database.replace('.', '_')}_{COLUMN}.py"
        steps = MIGRATION.format(new=self.database, old=old, column=COLUMN)
        (records / "migrations" / "versions" / name).write_text(steps)
        recorded = records / "postgres-shape.json"
        shape = json.loads(recorded.read_text())
        shape[f"column servers.{COLUMN}"] = "text"
        shape[f"version {self.database}"] = shape.pop(f"version {old}")
        recorded.write_text(json.dumps(shape))
        self.digest = digest_of(manifest(root))

    def run(self, address: str, secret: bytes, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one of its commands on the house at this address."""
        return run_command(address, secret, *words, program=self.folder)


def run_command(
    address: str, secret: bytes, *words: str, program: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command on the house at this address, of this program or of another one."""
    environment = os.environ | {"WARTABLE_KEY": secret.hex(), "WARTABLE_DATABASE": address}
    if program is not None:
        environment["PYTHONPATH"] = str(program)
    main = [sys.executable, "-c", "from wartable.cli import main; main()", *words]
    return ran(main, env=environment)
