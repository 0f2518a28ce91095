"""The engines: PostgreSQL under Patroni and etcd on three machines, and a NATS server on a fourth one."""
import glob
import json
import pathlib
import shutil
import subprocess
import sys
import urllib.request

import yaml

from network import Machine, run
from waiting import wait_for

USER = "postgres"  # has no privileges: PostgreSQL refuses to run as root
DATABASE = "belfry"
START_SECONDS = 120
# Fewer elections of etcd on a machine whose two processors run the whole cluster; Patroni's keys last 20 seconds.
ETCD_OPTIONS = ("--heartbeat-interval", "250", "--election-timeout", "2500")


class StoreServer(Machine):
    """A machine with a PostgreSQL server, its Patroni and a member of etcd."""

    def __init__(self, name, number, folder):
        super().__init__(name, number)
        self.folder = pathlib.Path(folder, name)
        self.folder.mkdir()
        shutil.chown(self.folder, USER, USER)

    def configure(self, servers):
        members = ",".join(f"{one.name}=http://{one.address}:2380" for one in servers)
        self.etcd = (
            "etcd", "--name", self.name, "--data-dir", self.folder / "etcd", "--initial-cluster", members,
            "--initial-cluster-state", "new",
            "--listen-peer-urls", f"http://{self.address}:2380",
            "--initial-advertise-peer-urls", f"http://{self.address}:2380",
            "--listen-client-urls", f"http://{self.address}:2379",
            "--advertise-client-urls", f"http://{self.address}:2379", *ETCD_OPTIONS)
        self.configuration = self.folder / "patroni.yml"
        self.configuration.write_text(yaml.safe_dump(self._patroni(servers)))
        self.configuration.chmod(0o644)

    def _patroni(self, servers):
        """Returns the configuration: an accepted commit is on two servers, and a failover starts within 20 seconds."""
        return {
            "scope": "belfry", "name": self.name,
            "restapi": {"listen": f"{self.address}:8008", "connect_address": f"{self.address}:8008"},
            "etcd3": {"hosts": [f"{one.address}:2379" for one in servers]},
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 5, "retry_timeout": 5,
                    "synchronous_mode": "quorum", "synchronous_mode_strict": True,
                    "postgresql": {
                        "use_pg_rewind": True,
                        "parameters": {
                            "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
                            "wal_log_hints": "on", "max_connections": 200, "shared_buffers": "64MB",
                            "max_wal_size": "512MB", "dynamic_shared_memory_type": "mmap",
                        },
                    },
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "trust"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{self.address}:5432", "connect_address": f"{self.address}:5432",
                "data_dir": str(self.folder / "data"), "bin_dir": postgres_folder(),
                "pgpass": str(self.folder / "pgpass"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "replicator"},
                                   "rewind": {"username": "postgres"}},
                "pg_hba": ["local all all trust", "host all all 10.77.0.0/24 trust",
                           "host replication all 10.77.0.0/24 trust"],
                "parameters": {"unix_socket_directories": str(self.folder)},
            },
        }

    def boot(self):
        logs = self.folder.parent / "logs"
        self.start(logs / f"{self.name}-etcd.log", *self.etcd, user=USER)
        patroni = pathlib.Path(sys.executable).with_name("patroni")
        self.start(logs / f"{self.name}-patroni.log", sys.executable, patroni, self.configuration, user=USER)


    def has_database(self):
        words = ("psql", "-qX", "-h", self.address, "-U", "postgres", "-c", "SELECT 1", DATABASE)
        return subprocess.run(words, capture_output=True).returncode == 0


class Store:
    """The three servers of the store."""

    def __init__(self, folder):
        self.servers = [StoreServer(f"store{number}", 20 + number, folder) for number in (1, 2, 3)]
        for server in self.servers:
            server.configure(self.servers)

    @property
    def url(self):
        hosts = ",".join(server.address for server in self.servers)
        return f"postgres://belfry@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def start(self):
        for server in self.servers:
            server.boot()
        wait_for(self.is_complete, "the start of the store", START_SECONDS, 0.5)
        for statement in ("CREATE ROLE belfry LOGIN", f"CREATE DATABASE {DATABASE} OWNER belfry TEMPLATE template0"):
            run("psql", "-qX", "-h", self.leader().address, "-U", "postgres", "-c", statement)
        # A client does not try the next host if a standby server reports that the database does not exist yet.
        for server in self.servers:
            wait_for(server.has_database, f"the database of {server.name}", START_SECONDS, 0.1)

    def views(self):
        """Returns, for each Patroni that answers, the role and the state of each server.

        A Patroni that was cut off can have an outdated view for a while."""
        views = []
        for server in self.servers:
            try:
                with urllib.request.urlopen(f"http://{server.address}:8008/cluster", timeout=2) as answer:
                    members = json.load(answer)["members"]
                    views.append(sorted((one["role"], one["state"], one["name"]) for one in members))
            except (OSError, ValueError, KeyError):
                continue
        return views

    def is_complete(self):
        """Returns true if all agree on the leader, and both other servers are synchronous standby servers of it."""
        views = self.views()
        states = [("leader", "running")] + [("quorum_standby", "streaming")] * 2
        return len(views) == len(self.servers) and all(
            view == views[0] and [(role, state) for role, state, _ in view] == states for view in views)

    def leader(self):
        """Returns the leader of a complete store."""
        name = self.views()[0][0][2]
        return next(server for server in self.servers if server.name == name)


class Bus(Machine):
    """A machine with a NATS server."""

    def __init__(self, name, number, folder):
        super().__init__(name, number)
        self.log = pathlib.Path(folder, "logs", f"{name}.log")

    @property
    def url(self):
        return f"nats://{self.address}"

    def boot(self):
        self.start(self.log, "nats-server", "--addr", self.address, "--port", "4222", user="nobody")


def postgres_folder():
    return sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))[-1]
