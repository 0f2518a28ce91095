import Foundation
import Glibc
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests with a disk that is full, refuses to grow a file, or fails to sync.
///
/// The gateway acknowledges nothing that is not stored, and the probe and the log report the failure. Once the disk
/// works again, the gateway continues automatically.
@Suite(.timeLimit(.minutes(60)), .requires(.curl, .prlimit)) struct FailingDiskTests {
  /// Returns the token of an offline device.
  private func token(_ scenario: Scenario, _ gateway: GatewayProgram) async throws -> String {
    let devices = try scenario.devices(of: gateway, topics: [app])
    let token = try await devices.token()
    try await devices.program.stop()
    return token
  }

  /// Prevents the gateway's files from growing.
  private func limitFiles(
    _ scenario: Scenario, of gateway: GatewayProgram, to bytes: String
  ) async throws {
    _ = try await scenario.command([
      TestTool.prlimit.required(), "--pid", "\(gateway.program.pid)", "--fsize=\(bytes):",
    ])
  }

  /// The file size limit at which no store can commit; the log still has room for its lines.
  private let tooShort = "4096"

  private func failureLines(_ gateway: GatewayProgram) -> Int {
    gateway.program.errors.split(separator: "\n").count {
      $0.contains("the disk accepts no writes")
    }
  }

  private func waitUntil(
    _ readiness: String, _ scenario: Scenario, _ gateway: GatewayProgram
  ) async throws {
    try await Scenario.wait("readiness to be '\(readiness)'") {
      try await scenario.readiness(of: gateway).hasPrefix(readiness)
    }
  }

  @Test func `a gateway that reaches its file size limit refuses pushes but keeps running`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let token = try await token(scenario, gateway)
      try await limitFiles(scenario, of: gateway, to: tooShort)
      for index in 0..<5 {
        let answer = try await scenario.push("\(index)", to: token, through: gateway)
        #expect(answer["status"].integer == 500, "\(answer)")
      }
      try await waitUntil("not ready: ", scenario, gateway)
      let told = try await scenario.readiness(of: gateway)
      #expect(told.contains("File too large"), "\(told)")
      try await Scenario.wait("the log's line") { failureLines(gateway) > 0 }
      #expect(failureLines(gateway) == 1, "one line per minute: \(gateway.program.errors)")
      try await limitFiles(scenario, of: gateway, to: "unlimited")
      try await waitUntil("ready", scenario, gateway)
      try await Scenario.wait("the log's line") {
        gateway.program.errors.contains("the disk accepts writes again")
      }
      let answer = try await scenario.push("kept", to: token, through: gateway)
      #expect(answer["status"].integer == 200)
      try await gateway.crash()
      let again = try await scenario.restart(gateway)
      let back = try scenario.devices(of: again, topics: [app])
      #expect(payload(try await back.received()).contains("kept"))
    }
  }

  @Test(.requires(.python))
  func `a registration that is not on disk has no token, and one given up on no disk stays`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try await scenario.enrolled(gateway, "first")
      let adopting = try scenario.linkClient(gateway, ["run", first.file, app])
      let kept = try #require(try await adopting.event("registered")["token"].string)
      adopting.signal(SIGKILL)
      let second = try await scenario.enrolled(gateway, "second")
      let known = try scenario.linkClient(gateway, ["ask", first.file, app])
      let new = try scenario.linkClient(gateway, ["ask", second.file, app])
      _ = try await known.event("connected")
      _ = try await new.event("connected")
      try await limitFiles(scenario, of: gateway, to: tooShort)
      let tryLater = 6
      for _ in 0..<3 {
        new.tell("register")
        #expect(try await new.event("refused")["reason"].integer == tryLater)
        known.tell("unregister")
        #expect(try await known.event("refused")["reason"].integer == tryLater)
      }
      try await limitFiles(scenario, of: gateway, to: "unlimited")
      try await waitUntil("ready", scenario, gateway)
      let alive = try await scenario.push("hello", to: kept, through: gateway)
      #expect(alive["status"].integer == 200, "the topic stays registered")
      new.tell("register")
      let token = try #require(try await new.event("registered")["token"].string)
      known.tell("unregister")
      _ = try await known.event("done")
      try await gateway.crash()
      let again = try await scenario.restart(gateway)
      let answer = try await scenario.push("hello", to: token, through: again)
      #expect(answer["status"].integer == 200, "a token that was sent is on disk: \(answer)")
      let dead = try await scenario.push("hello", to: kept, through: again)
      #expect(dead["reason"].string == "Unregistered")
    }
  }

  @Test func `A registry whose file cannot grow is not ready until it can be written again`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let registry = try await scenario.registry(of: gateway, topic: app)
      func limit(to bytes: String) async throws {
        _ = try await scenario.command([
          TestTool.prlimit.required(), "--pid", "\(registry.program.pid)", "--fsize=\(bytes):",
        ])
      }
      func readiness() async throws -> String {
        try await scenario.command([
          TestTool.curl.required(), "--silent", "--write-out", "%{http_code}\n",
          registry.address + "/readyz",
        ]).lines.joined(separator: " ")
      }
      func register(_ token: String) async throws -> Int32 {
        try await scenario.command(
          [
            TestTool.curl.required(), "--silent", "--fail",
            "\(registry.address)/register?deviceToken=\(token)",
          ], succeeding: false
        ).status
      }
      #expect(try await readiness() == "ok 200")
      try await limit(to: tooShort)
      #expect(try await register("00aa") != 0)
      let failing = try await readiness()
      #expect(failing.hasPrefix("not ready: ") && failing.hasSuffix("503"), "\(failing)")
      #expect(failing.contains("File too large"), "\(failing)")
      try await registry.program.error("the disk accepts no writes")
      // No further request writes data, so the service itself must detect that the disk works again.
      try await limit(to: "unlimited")
      try await Scenario.wait("readiness") { try await readiness() == "ok 200" }
      try await registry.program.error("the disk accepts writes again")
      #expect(try await register("00aa") == 0)
      #expect(try await scenario.ask(registry, "/tokens").lines.count == 1)
      #expect(try await scenario.ask(registry, "/status").values.first?["dead"].integer == 0)
    }
  }

  @Test(.requires(.unshare))
  func `a full disk refuses pushes until there is room, and a start says what it lacks`()
    async throws
  {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway()
      let token = try await token(scenario, first)
      try await first.stop()
      // The script mounts a 32 MB file system over the folder, in a separate namespace, and copies the folder's files
      // to it.
      let script = """
        cp -a "$1" "$1.copy" && mount -t tmpfs -o size=32m none "$1" && cp -a "$1.copy/." "$1" && \
        shift && exec "$@"
        """
      let runner = [
        try TestTool.unshare.required(), "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
        script, "sh", first.data,
      ]
      let gateway = try await scenario.restart(first, wrapper: runner)
      #expect(
        try await scenario.push("before", to: token, through: gateway)["status"].integer == 200)
      let filling = "/proc/\(gateway.program.pid)/root\(first.data)/filling"
      let filled = try await scenario.command(
        ["dd", "if=/dev/zero", "of=\(filling)", "bs=4096"], succeeding: false)
      #expect(filled.status != 0, "the disk is full")
      for index in 0..<5 {
        let answer = try await scenario.push("\(index)", to: token, through: gateway)
        #expect(answer["status"].integer == 500, "\(answer)")
      }
      try await waitUntil("not ready: no space left for", scenario, gateway)
      try await Scenario.wait("the log's line") { failureLines(gateway) > 0 }
      #expect(failureLines(gateway) == 1, "\(gateway.program.errors)")
      try FileManager.default.removeItem(atPath: filling)
      try await waitUntil("ready", scenario, gateway)
      #expect(
        try await scenario.push("after", to: token, through: gateway)["status"].integer == 200)
      let back = try scenario.devices(of: gateway, topics: [app])
      #expect(payload(try await back.received()).contains("after"))
      try await gateway.stop()
      // Do the same with a disk that is full from the start.
      let full = script.replacing(
        "shift && exec", with: "{ dd if=/dev/zero of=\"$1/filling\" bs=4096; shift; } && exec"
      )
      .replacing("cp -a \"$1\" \"$1.copy\" && ", with: "")
      let start = try await scenario.command(
        [
          runner[0], "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
          full.replacing("bs=4096;", with: "bs=4096 2>/dev/null;"), "sh", first.data,
          Installation.belfry, "gateway", "--data", first.data,
        ], succeeding: false)
      #expect(start.status == 1)
      #expect(start.errors.contains("no space left for \(first.data)/"), "\(start.errors)")
      #expect(start.errors.contains("free some disk space"), "\(start.errors)")
    }
  }

  /// A library that makes every sync fail while the file that `FAIL_SYNC` names exists.
  private static let failingSync = """
    #include <errno.h>
    #include <stdlib.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static int synced(long call, int descriptor) {
      if (access(getenv("FAIL_SYNC"), F_OK) == 0) {
        errno = EIO;
        return -1;
      }
      return (int)syscall(call, descriptor);
    }
    int fsync(int descriptor) { return synced(SYS_fsync, descriptor); }
    int fdatasync(int descriptor) { return synced(SYS_fdatasync, descriptor); }
    """

  @Test(.requires(.cc))
  func `pushes whose sync failed are refused, and accepted pushes survive a crash`() async throws {
    try await Scenario.run { scenario in
      let source = scenario.folder.file("failing-sync.c")
      try Self.failingSync.write(toFile: source, atomically: true, encoding: .utf8)
      let library = scenario.folder.file("failing-sync.so")
      _ = try await scenario.command([
        TestTool.cc.required(), "-shared", "-fPIC", "-o", library, source,
      ])
      let failing = scenario.folder.file("fail")
      let gateway = try await scenario.gateway(
        environment: ["LD_PRELOAD": library, "FAIL_SYNC": failing])
      let token = try await token(scenario, gateway)
      let before = try await scenario.push("before", to: token, through: gateway)
      #expect(before["status"].integer == 200)
      try Data().write(to: URL(fileURLWithPath: failing))
      let refused = try await scenario.push("refused", to: token, through: gateway)
      #expect(refused["status"].integer == 500, "\(refused)")
      try await waitUntil("not ready: the disk failed", scenario, gateway)
      let told = try await scenario.readiness(of: gateway)
      #expect(told.contains("Input/output error"), "\(told)")
      try FileManager.default.removeItem(atPath: failing)
      try await waitUntil("ready", scenario, gateway)
      let answer = try await scenario.push("kept", to: token, through: gateway)
      #expect(answer["status"].integer == 200)
      try await gateway.crash()
      let again = try await scenario.restart(gateway)
      #expect(try await scenario.readiness(of: again) == "ready")
      let back = try scenario.devices(of: again, topics: [app])
      #expect(payload(try await back.received()).contains("kept"))
    }
  }
}
