# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands under attack: a new one is a line of this table."""

import dataclasses
import shlex


@dataclasses.dataclass(frozen=True)
class Command:
    """resumed: (a file, the command that resumes an interrupted one where that file is left); else it is repeated."""
    name: str
    line: str
    inputs: tuple
    outputs: tuple
    resumed: tuple = ()
    option: str = "-o"  # whose value is the file that the attacks on targets are aimed at

    @property
    def arguments(self):
        return shlex.split(self.line)

    def aimed(self, target):
        """The arguments with another first output."""
        arguments = self.arguments
        arguments[arguments.index(self.option) + 1] = target
        return arguments


LEARN = "--set dictionary.atoms=40 --set dictionary.tolerance=0 --checkpoint 0.02"
COMMANDS = (
    Command("describe", "describe images/down/0.png images/wide/1.png -o N.npy --set descriptor.patch=16 --set descriptor.step=2",
            ("images",), ("N.npy",)),
    Command("learn", f"learn T.npy -o D.npz --trace t.csv --set dictionary.iterations=12 {LEARN}", ("T.npy",), ("D.npz",),
            ("D.npz.checkpoint", "learn T.npy -o D.npz --resume D.npz --checkpoint 0.02")),
    Command("learn-batches", f"learn T.npy -o D.npz --set dictionary.iterations=6 --set dictionary.minibatch=200 {LEARN}",
            ("T.npy",), ("D.npz",), ("D.npz.checkpoint", "learn T.npy -o D.npz --resume D.npz --checkpoint 0.02")),
    Command("code", "code T.npy -d D0.npz -o A.npy --report r.json", ("T.npy", "D0.npz"), ("A.npy", "r.json")),
    Command("classify", "classify r.recipe --report r.json --confusion c.csv --model M.npz --dictionary D.npz -w W.sqlite",
            ("images", "r.recipe"), ("r.json", "c.csv", "M.npz", "D.npz", "W.sqlite"), option="--model"),
    Command("classify-labels", "classify l.recipe --report r.json --scores s.csv --curves c.csv -w W.sqlite",
            ("images", "l.recipe"), ("r.json", "s.csv", "c.csv", "W.sqlite"), option="--scores"),
    Command("classify-plots", "classify r.recipe --plots plots", ("images", "r.recipe"), ("plots",), option="--plots"),
    Command("sweep", "sweep s.recipe -w W.sqlite --checkpoint 0.02 --report r.json", ("images", "s.recipe"), ("W.sqlite",),
            ("W.sqlite", "sweep s.recipe -w W.sqlite --checkpoint 0.02 --report r.json"), option="-w"),
    Command("predict", "predict images/down/0.png -m M0.npz --map m.png --map-npy m.npy", ("images", "M0.npz"),
            ("m.png", "m.npy"), option="--map-npy"),
    Command("export-mat", "export D0.npz -o E.mat", ("D0.npz",), ("E.mat",)),
    Command("export-csv", "export D0.npz -o E.csv", ("D0.npz",), ("E.csv",)),
    Command("export-pictures", "export D0.npz -o E/", ("D0.npz",), ("E",)),
    Command("rank", "rank T.npy --codes A0.npy -d D0.npz -o R.csv", ("T.npy", "A0.npy", "D0.npz"), ("R.csv",)),
    Command("sparsify", "sparsify images/wide/1.png -o S.csv --separate --set descriptor.patch=16", ("images",), ("S.csv",)),
    Command("runs-csv", "runs W0.sqlite --csv L.csv", ("W0.sqlite",), ("L.csv",), option="--csv"),
    Command("runs-json", "runs W0.sqlite --export L.json", ("W0.sqlite",), ("L.json",), option="--export"),
    Command("runs-extract", "runs W0.sqlite --show 1 --extract X", ("W0.sqlite",), ("X",), option="--extract"),
    Command("report-html", "report 1 -w W0.sqlite -o P.html", ("W0.sqlite",), ("P.html",)),
    Command("report-pdf", "report 1 -w W0.sqlite -o P.pdf", ("W0.sqlite",), ("P.pdf",)),
    Command("textures", "textures X --grey", (), ("X",)),
)
# What the window does when it is killed: long enough for that.
WINDOW = Command("window", "classify w.recipe -w W.sqlite", ("images", "w.recipe"), ("W.sqlite",), option="-w")
NAMED = {command.name: command for command in COMMANDS}
LONG = tuple(NAMED[name] for name in ("describe", "learn", "learn-batches", "code", "classify", "sweep"))
QUICK = tuple(NAMED[name] for name in ("describe", "learn", "code", "classify", "sweep", "export-mat"))
