"""A build that contains every mutant of the chosen files behind a switch, for scripts/mutate and
scripts/mutate-statements."""
import hashlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWITCH = "MutationSwitch.swift"


def say(text):
    print(f"mutate: {text}", flush=True)


def run(arguments, **options):
    return subprocess.run([str(a) for a in arguments], text=True, **options)


def put(path, content):
    """Writes a file only when it changes, so that the build stays incremental."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def limits():
    """Limits the memory of a child process and lowers its priority. Runs in the child process."""
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        pathlib.Path("/proc/self/autogroup").write_text("5")
    except OSError:
        os.nice(5)


class MutantBuild:
    """A copy of the working tree in `work`/checkout that contains every mutant of the files under `folders`.

    `modules` are the folders of the modules to which these files belong; the switch is added to each of them.
    `manifest` changes the text of Package.swift. `packages` are folders of other packages in the checkout, which are
    built after it. With `values`, mutants also change literals, arguments, results, and initial values.
    """

    def __init__(self, work, folders, modules, manifest=lambda text: text, packages=(), values=False):
        self.work, self.checkout, self.tool = work, work / "checkout", work / "belfry-mutate"
        self.folders, self.modules, self.manifest, self.packages = tuple(folders), list(modules), manifest, packages
        self.options = ["--values"] if values else []

    def make(self):
        """Builds; returns the mutants by number."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.compile_tool()
        return self.build(self.check_out())

    @property
    def program(self):
        return next((self.checkout / ".build/debug").glob("*PackageTests.xctest"))

    def compile_tool(self):
        sources = sorted((ROOT / "Mutation").glob("*.swift"))
        if self.tool.exists() and all(s.stat().st_mtime < self.tool.stat().st_mtime for s in sources):
            return
        swiftc = pathlib.Path(shutil.which("swiftc")).resolve()
        host = swiftc.parent.parent / "lib/swift/host"
        libraries = ["SwiftSyntax", "SwiftSyntaxBuilder", "SwiftParser", "SwiftOperators"]
        run(["swiftc", "-O", "-parse-as-library", "-swift-version", "6", "-I", host, "-L", host,
             "-Xlinker", "-rpath", "-Xlinker", host, *["-l" + name for name in libraries], *sources, "-o", self.tool],
            check=True)

    def check_out(self):
        """Copies the files of the working tree, and returns the names of the files to mutate."""
        names = run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True).stdout
        mutated, copied = [], set()
        for name in filter(None, names.split("\n")):
            source = ROOT / name
            if not source.is_file():
                continue
            copied.add(name)
            if name.startswith(self.folders) and name.endswith(".swift"):
                mutated.append(name)
            elif name != "Package.swift":
                put(self.checkout / name, source.read_bytes())
                shutil.copymode(source, self.checkout / name)
        for old in [*self.checkout.glob("Sources/**/*.swift"), *self.checkout.glob("Tests/**/*.swift")]:
            if str(old.relative_to(self.checkout)) not in copied and old.name != SWITCH:
                old.unlink()
        # A mutant can make code unreachable, so warnings must not be errors.
        text = (ROOT / "Package.swift").read_text().replace("  .treatAllWarnings(as: .error),\n", "")
        put(self.checkout / "Package.swift", self.manifest(text).encode())
        for module in self.modules:
            put(self.checkout / module / SWITCH, (ROOT / "Mutation/MutationSwitch.swift.in").read_bytes())
        return sorted(mutated)

    def instrument(self, mutated, excluded):
        """Writes the files with their mutants, and returns the mutants."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            fresh = pathlib.Path(folder)
            for name in mutated:
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, fresh / name)
            (self.work / "excluded").write_text("\n".join(map(str, sorted(excluded))))
            rows = run([self.tool, *self.options, self.work / "excluded", *mutated], cwd=fresh, capture_output=True, check=True).stdout
            for name in mutated:
                put(self.checkout / name, (fresh / name).read_bytes())
        mutants, lines = {}, {}
        for row in rows.splitlines():
            number, file, line, _, change = row.split("\t")
            if file not in lines:
                lines[file] = (ROOT / file).read_text().split("\n")
            mutants[int(number)] = dict(number=int(number), file=file, line=int(line), change=change,
                                        text=lines[file][int(line) - 1].strip())
        return mutants

    def build(self, mutated):
        """Builds repeatedly, excluding mutants that don't compile, until the build succeeds."""
        known, stamp_file = self.work / "uncompilable", self.work / "stamp"
        stamp = hashlib.sha256()
        for path in [*[ROOT / m for m in mutated], *sorted((ROOT / "Mutation").glob("*.swift*"))]:
            stamp.update(path.read_bytes())
        stamp = stamp.hexdigest()
        excluded = set()
        if known.exists() and stamp_file.exists() and stamp_file.read_text() == stamp:
            excluded = set(map(int, known.read_text().split()))
        cleaned = set()
        # A module is compiled only after the modules that it depends on, so each build can find errors in further
        # modules.
        for _ in range(12 + 2 * len(self.modules)):
            mutants = self.instrument(mutated, excluded)
            result = run(["swift", "build", "--build-tests", "-Xswiftc", "-continue-building-after-errors"],
                         cwd=self.checkout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            bad = excluded_by(re.findall(r"^(/\S+\.swift):(\d+):\d+: error: ", result.stdout, re.M), mutants)
            stale = set(re.findall(r"/(\w+)\.build/\S+\.o:.*undefined reference", result.stdout)) - cleaned
            if result.returncode != 0 and not bad - excluded and stale:
                # After a failed build, the compiler might keep an object file whose source has changed.
                for module in stale:
                    for file in self.checkout.glob(f".build/*/debug/{module}.build/*"):
                        if file.suffix in {".o", ".swiftdeps"}:
                            file.unlink()
                cleaned |= stale
                continue
            if result.returncode != 0 and not bad - excluded:
                print(result.stdout[-6000:])
                sys.exit("mutate: the build fails, but not because of a mutant")
            excluded |= bad
            known.write_text(" ".join(map(str, sorted(excluded))))
            stamp_file.write_text(stamp)
            if result.returncode == 0:
                for package in self.packages:
                    run(["swift", "build", "--package-path", package], cwd=self.checkout, check=True,
                        stdout=subprocess.DEVNULL)
                return {n: m for n, m in mutants.items() if n not in excluded}
            say(f"{len(bad)} mutants do not compile, {len(excluded)} of {len(mutants)} in total")
        sys.exit("mutate: the build still fails after all mutants that do not compile were excluded")


def excluded_by(errors, mutants):
    """Returns the mutants on the lines that don't compile, or the mutants nearest to those lines."""
    bad, files = set(), {}
    for path, line in set(errors):
        if path not in files:
            files[path] = pathlib.Path(path).read_text().split("\n")
        lines = files[path]
        for distance in range(12):
            near = lines[max(0, int(line) - 1 - distance):int(line) + distance]
            found = {int(n) for text in near for n in re.findall(r"mutant[A-Z]\w*\((\d+)", text)}
            if found:
                bad |= found
                break
    return bad & mutants.keys()
