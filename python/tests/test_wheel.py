# SPDX-License-Identifier: GPL-3.0-or-later
"""Wheels that bring their libraries, as scripts/repair-wheel makes them; scripts/check-wheel tries them in a system that has none."""

import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

import tosst

REPAIR = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "repair-wheel")

# What a process of the package has open of tosst.libs, and that nothing else of OpenBLAS and LAPACKE is open.
USE = """
import sys
import tosst
assert tosst.__file__.startswith(sys.argv[1])
dictionary = tosst.TensorDictionaryLearning(3, max_iter=2).fit([[1.0] * 4, [0.5] * 4, [0.1, 0.2, 0.3, 0.4]]).dictionary_
libraries = {line.split("/", 1)[1].strip() for line in open("/proc/self/maps") if ".so" in line}
own = {path for path in libraries if "/tosst.libs/" in path}
print("\\n".join(sorted(path.rsplit("/", 1)[1] for path in own)))
assert not [path for path in libraries - own if "lapacke" in path or "/libtosst" in path]
"""


@pytest.fixture(scope="module")
def repaired(tmp_path_factory):
    """The path of the package without core, repaired."""
    if not all(map(shutil.which, ("patchelf", "readelf", "ldd", "dpkg-query"))):
        pytest.skip("patchelf, readelf, ldd or dpkg-query is not installed")
    folder = tmp_path_factory.mktemp("wheel")
    package = os.path.dirname(tosst.__file__)
    wheel = folder / "tosst-1.2-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in os.listdir(package):
            if name.endswith((".py", ".typed")) or name.startswith("_native.") and name.endswith(".so"):
                archive.write(os.path.join(package, name), f"tosst/{name}")
        archive.writestr("tosst-1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n")
        archive.writestr("tosst-1.2.dist-info/RECORD", "")
    # The library of the build, which the module looks for beside its own folder.
    engine = os.path.join(package, "..", "..", "src", "engine")
    done = subprocess.run([sys.executable, REPAIR, wheel, folder], env=dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(engine)),
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    return done.stdout.strip()


def test_record_tag_and_licences(repaired):
    with zipfile.ZipFile(repaired) as archive:
        names = archive.namelist()
        libraries = {name[len("tosst.libs/"):] for name in names if name.startswith("tosst.libs/")}
        tag = archive.read("tosst-1.2.dist-info/WHEEL").decode().split("Tag: ")[1].strip()
        assert tag.startswith("cp311-cp311-manylinux_2_") and os.path.basename(repaired) == f"tosst-1.2-{tag}.whl"
        record = {row[0]: row[1:] for row in csv.reader(archive.read("tosst-1.2.dist-info/RECORD").decode().splitlines())}
        assert sorted(record) == sorted(names)
        for name, (digest, size) in record.items():
            data = archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert name.endswith("RECORD") or (digest, size) == ("sha256=" + expected, str(len(data)))
        listed = archive.read("tosst-1.2.dist-info/licenses/LIBRARIES").decode()
        assert all(f"{name}: " in listed for name in libraries) and " of openblas " in listed
        for text in ("liblapacke.txt", "GPL-3"):
            assert len(archive.read(f"tosst-1.2.dist-info/licenses/{text}")) > 1000
    for wanted in ("libopenblas-", "liblapacke-", "libgfortran-"):
        assert [name for name in libraries if name.startswith(wanted)]
    assert not [name for name in libraries if name.startswith(("libc-", "libm-", "libgcc_s-"))]


def test_package_uses_its_own_libraries(repaired, tmp_path):
    with zipfile.ZipFile(repaired) as archive:
        archive.extractall(tmp_path)
        libraries = sorted(name[len("tosst.libs/"):] for name in archive.namelist() if name.startswith("tosst.libs/"))
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    done = subprocess.run([sys.executable, "-c", USE, str(tmp_path)], env=dict(environment, PYTHONPATH=str(tmp_path)), stdout=subprocess.PIPE,
                          check=True, universal_newlines=True)
    assert done.stdout.split() == libraries
