#!/usr/bin/env python3
"""
Writes the sources of the site: copies of the pages of docs/, CHANGELOG.md and SECURITY.md, and the navigation as
docs/index.md has it. There each heading of two signs becomes a group, each table below it entries of the group, and each
heading of three signs an entry with the pages of its table below it. A page that only the description of another names
comes below that one, and the pages of the reference below its index.

usage: pages.py FOLDER
"""
import os
import re
import shutil
import sys

RENAMED = {"search.md": "option_search.md"}  # Sphinx has a page of this name
LINK = re.compile(r"\[([^]]*)\]\(([^) ]*)\)")


def slug(title):
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def toctree(pages, **options):
    """A list of pages for the navigation, which the page itself does not show."""
    lines = ["", "```{toctree}"] + [f":{name}: {value}".rstrip() for name, value in {"hidden": "", **options}.items()]
    return "\n".join(lines + [""] + [f"/{page}" for page in pages] + ["```", ""])


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.listed = set()

    def read(self, page):
        with open(os.path.join(self.folder, page), encoding="utf-8") as file:
            return file.read()

    def write(self, page, text):
        path = os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy(self):
        """Copies the pages; links to files that the site does not have become their text."""
        shutil.copytree("docs", self.folder)
        for name, page in {"CHANGELOG.md": "changelog.md", "SECURITY.md": "report.md"}.items():
            with open(name, encoding="utf-8") as file:
                self.write(page, file.read().replace("](docs/", "]("))
        for page, name in RENAMED.items():
            os.rename(os.path.join(self.folder, page), os.path.join(self.folder, name))
        known = {"../README.md": "index.md", "../SECURITY.md": "report.md", "SECURITY.md": "report.md"}
        for path, _, names in os.walk(self.folder):
            for name in (name for name in names if name.endswith(".md")):
                page = os.path.relpath(os.path.join(path, name), self.folder)

                def kept(link):
                    target = link[2].partition("#")[0]
                    there = os.path.normpath(os.path.join(path, target))
                    if os.path.relpath(there, self.folder) in RENAMED:
                        renamed = os.path.join(os.path.dirname(target), RENAMED[os.path.relpath(there, self.folder)])
                        return f"[{link[1]}]({renamed}{link[2][len(target):]})"
                    if target == "" or "://" in target or os.path.exists(there):
                        return link[0]
                    return f"[{link[1]}]({known[target]})" if target in known else link[1]

                self.write(page, LINK.sub(kept, self.read(page)))

    def rows(self, lines):
        """The pages that the first column of a table links to, and below each those that only its description names."""
        rows = []
        for line in lines:
            cells = re.match(r"\| \[[^]]*\]\(([^)]*)\) \|(.*)", line)
            if cells:
                rows.append((cells[1], [target for _, target in LINK.findall(cells[2]) if "#" not in target and target.endswith(".md")]))
        return rows

    def entries(self, rows, sections):
        """The entries of the navigation for rows of a table; a heading of index.md stands for its section."""
        for page, below in rows:
            if page.startswith("#"):
                title = next(title for title in sections if "#" + slug(title).replace("_", "-") == page)
                yield self.section(title, sections.pop(title), {})
                continue
            below = [other for other in below if other not in self.listed]
            self.listed.update(below)
            if below:
                self.write(page, self.read(page) + toctree(below))
            yield page

    def section(self, title, lines, sections):
        """Writes the page of a heading of three signs, which is its part of index.md."""
        page = f"contents/{slug(title)}.md"
        text = LINK.sub(lambda link: link[0] if link[2].startswith("#") else f"[{link[1]}](../{link[2]})", "\n".join(lines))
        self.write(page, f"# {title}\n{text}\n" + toctree(self.entries(self.rows(lines), sections)))
        return page

    def navigation(self):
        head, *groups = re.split(r"(?m)^## ", self.read("index.md"))
        self.listed = {page for group in groups for page, _ in self.rows(group.splitlines())}
        text = self.read("index.md")
        for group in groups:
            name, _, body = group.partition("\n")
            first, *parts = re.split(r"(?m)^### ", body)
            sections = {part.partition("\n")[0]: part.partition("\n")[2].splitlines() for part in parts}
            pages = list(self.entries(self.rows(first.splitlines()), sections))
            pages += [self.section(title, lines, {}) for title, lines in sections.items()]
            if name == "Internals":
                pages += ["changelog.md", "report.md"]
            if pages:
                text += toctree(pages, caption=name)
        self.write("index.md", text)
        reference = self.read("reference.md")
        below = dict.fromkeys(target.partition("#")[0] for _, target in LINK.findall(reference))
        self.write("reference.md", reference + toctree(page for page in below if page.startswith("reference/")))


if __name__ == "__main__":
    site = Site(sys.argv[1])
    site.copy()
    site.navigation()
