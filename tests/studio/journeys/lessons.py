#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every lesson from its first page to its last. "Finish" leads back to the list."""

import re

import pyatspi

from journey import PATIENCE, Missing, main, size, until, walk

PAGE = re.compile(r"^Page (\d+) of (\d+)$")


def pages(studio, frame):
    """Where the lesson is: the page and how many there are."""
    found = next((PAGE.match(word) for word in studio.words(frame) if PAGE.match(word)), None)
    return tuple(map(int, found.groups())) if found else (0, 0)


def finish(studio, frame, title):
    for attempt in (1, 2, 3):  # a click while one page still fades into the other goes nowhere
        studio.click(studio.find(title, "list item", frame))
        try:
            until(lambda: pages(studio, frame)[0] == 1, f"first page of {title}", 5 if attempt < 3 else PATIENCE)
            break
        except Missing:
            if attempt == 3:
                raise
    count = pages(studio, frame)[1]
    for page in range(1, count):
        studio.press("Next", within=frame)
        until(lambda: pages(studio, frame) == (page + 1, count), f"page {page + 1} of {title}")
    print(f"{title}: {count} pages")
    studio.press("Finish", within=frame)
    until(lambda: all_rows_have_size(frame), "list of lessons")


def all_rows_have_size(frame):
    rows = [node for node in walk(frame) if node.getRoleName() == "list item"]
    return rows if rows and all(size(node)[0] > 0 for node in rows) else None


def open_first(studio):
    """F2, then Return: what has the focus has a name, and acts."""
    studio.key("F2")
    frame = studio.frame("Lessons")
    until(lambda: all_rows_have_size(frame), "list of lessons")
    focus = until(lambda: [node for node in walk(frame) if node.getState().contains(pyatspi.STATE_FOCUSED)], "focus")
    assert [node.getRoleName() for node in focus] == ["list item"] and focus[0].name, focus
    studio.key("Return", frame=frame)
    until(lambda: pages(studio, frame)[0] == 1, "first page of the first lesson")
    studio.key("Escape", frame=frame)
    until(lambda: all_rows_have_size(frame), "list of lessons")
    return frame


def journey(studio):
    frame = open_first(studio)
    titles = [node.name for node in until(lambda: all_rows_have_size(frame), "list of lessons")]
    assert len(titles) == 6, titles
    for title in titles:
        finish(studio, frame, title)
    studio.key("ctrl+w", frame=frame)
    until(lambda: all(other is not None and other.name != "Lessons" for other in studio.application), "lessons to close")
    # A polite kill ends the program, whichever windows are open.
    studio.press("Lessons")
    studio.frame("Lessons")
    studio.process.terminate()
    studio.ended()


main(journey)
