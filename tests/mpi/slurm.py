# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm cluster of nodes with one processor each on this machine, with a munged of its own: nothing outside its folder
is changed, and only processes that it started are ended. Needs Debian's slurmctld, slurmd, slurm-client and munge, and root."""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sacctmgr", "squeue", "sinfo")
CONFIGURATION = """ClusterName=tosst
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout={patience}
MessageTimeout=60
KillWait=30
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n[1-{nodes}] NodeAddr=127.0.0.1 NodeHostname={host} Port=[{first}-{last}] CPUs=1 RealMemory=4000
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def missing():
    """Why there can be no cluster here; None: there can."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if name != "sacctmgr" and not shutil.which(name)]
    if absent:
        return f"no {absent[0]}: Debian's slurmctld, slurmd, slurm-client and munge are needed"
    return None if os.geteuid() == 0 else "slurmd needs root"


def free_ports(n):
    """The first of n neighbouring ports that nobody listens at."""
    for first in range(20000 + os.getpid() % 9000, 60000, n):
        sockets = [socket.socket() for _ in range(n)]
        try:
            for i, one in enumerate(sockets):
                one.bind(("127.0.0.1", first + i))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise OSError("no free ports")


def processes():
    """Number and environment of each process that may be read."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield int(path.name), dict(word.split("=", 1) for word in (path / "environ").read_text(errors="replace").split("\0") if "=" in word)
        except OSError:
            continue


def parent_of(number):
    try:
        return int(pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def name_of(number):
    try:
        return pathlib.Path(f"/proc/{number}/comm").read_text().strip()
    except OSError:
        return ""


class Cluster:
    """nodes: their number; patience: seconds after which a silent node is down."""

    def __init__(self, folder, nodes=2, patience=10):
        self.folder, self.nodes = pathlib.Path(folder), nodes
        self.folder.mkdir(mode=0o755)
        (self.folder / "state").mkdir()
        port = free_ports(nodes + 1)
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), port=port, first=port + 1, last=port + nodes, nodes=nodes,
            folder=self.folder, patience=patience), encoding="ascii")
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}
        self.start_munge()
        self.run("slurmctld")
        for node in range(1, nodes + 1):
            self.start_node(node)
        self.wait_until(lambda: self.output("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == str(nodes), "all nodes are idle")

    def start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.run("munged", "--force", f"--socket={self.folder}/munge.socket", f"--key-file={key}", f"--pid-file={self.folder}/munged.pid",
                 f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed")

    def start_node(self, node):
        self.run("slurmd", "-N", f"n{node}")

    def run(self, *words, **options):
        """A daemon keeps no pipe open that somebody waits for."""
        with open(self.folder / "start.log", "ab") as log:
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment, check=True, **options)

    def output(self, *words, **options):
        return subprocess.run(words, capture_output=True, text=True, env=self.environment, check=True, **options).stdout

    def ask(self, *words):
        """What may come too late, as for a job that has ended."""
        subprocess.run(words, capture_output=True, env=self.environment, check=False)

    def wait_until(self, is_reached, what, patience=120):
        """The limit is reached only by a hang."""
        end = time.monotonic() + patience
        while not is_reached():
            if time.monotonic() > end:
                raise TimeoutError(f"not reached: {what}\n" + self.output("squeue") + self.output("sinfo"))
            time.sleep(.1)

    def submit(self, script, folder):
        return self.output("sbatch", "--parsable", script, cwd=folder).strip()

    def job(self, number):
        """What Slurm tells of a job."""
        return dict(word.split("=", 1) for word in self.output("scontrol", "show", "job", "-o", number).split() if "=" in word)

    def wait_for(self, number, *states, patience=240):
        self.wait_until(lambda: self.job(number)["JobState"] in states, f"job {number} is {states}", patience)
        return self.job(number)

    def lose_node(self, node):
        """Ends the daemon of a node and all that runs there, as where its machine fails."""
        self.kill(self.folder / f"n{node}.pid")
        there = [number for number, environment in self.all() if environment.get("SLURMD_NODENAME") == f"n{node}"]
        # First those that watch the others, and would report their end.
        for number in [parent for parent in map(parent_of, there) if name_of(parent) == "slurmstepd"] + there:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass

    @staticmethod
    def kill(path, number=signal.SIGKILL):
        try:
            os.kill(int(path.read_text()), number)
        except (OSError, ValueError):
            pass

    def all(self):
        """Processes of this cluster with their environments."""
        return [(number, environment) for number, environment in processes()
                if environment.get("SLURM_CONF") == str(self.configuration) and number != os.getpid()]

    def left(self):
        """Processes of jobs that still run; a daemon has no SLURM_JOB_ID."""
        return [number for number, environment in self.all() if "SLURM_JOB_ID" in environment]

    def stop(self):
        for path in self.folder.glob("*.pid"):
            self.kill(path, signal.SIGTERM)
        time.sleep(.5)
        for path in self.folder.glob("*.pid"):
            self.kill(path)
        for number, _ in self.all():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
