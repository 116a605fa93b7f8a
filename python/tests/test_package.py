# SPDX-License-Identifier: GPL-3.0-or-later
"""What the package says of itself, to those who have the package alone."""

import os
import re

import pytest

tomllib = pytest.importorskip("tomllib")  # of Python 3.11


@pytest.fixture(scope="module")
def root():
    folder = os.environ.get("TOSST_EXAMPLES")
    if not folder:
        pytest.skip("TOSST_EXAMPLES does not name the folder of examples")
    return os.path.dirname(os.path.abspath(folder))


@pytest.fixture(scope="module")
def project(root):
    with open(os.path.join(root, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def test_metadata(project, root):
    assert all(author["name"] and "@" in author["email"] for author in project["authors"])
    assert {"Homepage", "Documentation", "Source", "Issues", "Changes"} == set(project["urls"])
    with open(os.path.join(root, "data", "io.github.tosst.Studio.metainfo.xml"), encoding="utf-8") as file:
        home = re.search(r'<url type="homepage">(.*?)</url>', file.read()).group(1)
    assert all(url.startswith(home) for url in project["urls"].values())
    for name, url in project["urls"].items():
        path = url.partition("/blob/main/")[2]
        assert not path or os.path.exists(os.path.join(root, path)), name
    kinds = {classifier.split(" :: ")[0] for classifier in project["classifiers"]}
    assert {"Development Status", "Intended Audience", "License", "Operating System", "Programming Language", "Topic"} <= kinds


def test_links_of_the_description_are_absolute(project, root):
    """The page is read at an index of packages, too, where there is no other file."""
    with open(os.path.join(root, project["readme"]), encoding="utf-8") as file:
        text = re.sub(r"`[^`]*`", "", file.read())
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links and all(link.startswith(("https://", "#")) for link in links)
    for path in re.findall(r"/blob/main/([^)]*)\)", text):
        assert os.path.exists(os.path.join(root, path)), path


@pytest.mark.parametrize("page", ["README.md", "doc/python.md"])
def test_installation_begins_with_an_environment(page, root):
    with open(os.path.join(root, page), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("    pip install"):
            assert lines[number - 1].startswith("    python3 -m venv"), line
    assert any("pkg-config" in line and "python3-venv" in line for line in lines)
