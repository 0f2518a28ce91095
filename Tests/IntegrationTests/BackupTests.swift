import Foundation
import Storage
import Synchronization
import System
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of gateway backups that are made under load and restored elsewhere, and of the related messages.
@Suite(.timeLimit(.minutes(60))) struct BackupTests {
  /// A sender of numbered pushes to an offline device, which continues until it is stopped.
  private final class Pusher: Sendable {
    private struct State {
      var accepted: [Int] = []
      var isStopped = false
    }

    private let state = Mutex(State())

    /// The numbers of the pushes that were answered with 200.
    var accepted: [Int] { state.withLock { $0.accepted } }

    func stop() { state.withLock { $0.isStopped = true } }

    func run(_ scenario: Scenario, _ gateway: GatewayProgram, token: String) async throws {
      for number in 0... {
        if state.withLock({ $0.isStopped }) { return }
        let sent = try await scenario.belfryCommand([
          "send", token, "--topic", app, "--body", "number \(number).", "--gateway", gateway.file,
        ])
        if sent.values.first?["status"].integer == 200 {
          state.withLock { $0.accepted.append(number) }
        }
      }
    }

    /// Waits until `count` more pushes have been accepted.
    func accepts(_ count: Int) async throws {
      let before = accepted.count
      while accepted.count < before + count { await Task.yield() }
    }
  }

  @Test(.requires(.curl))
  func `a backup taken during pushes restores everything accepted before it, to the same devices`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      _ = try await scenario.belfryCommand([
        "topic", "add", "--team", gateway.teamID, app, "--keep", "all", "--data", gateway.data,
      ])
      try await devices.program.stop()
      let file = scenario.folder.file("backup.tar")
      let pusher = Pusher()
      let before = try await withThrowingTaskGroup { group in
        group.addTask { try await pusher.run(scenario, gateway, token: token) }
        try await pusher.accepts(10)
        let before = pusher.accepted
        let made = try await scenario.belfryCommand([
          "backup", file, "--data", gateway.data, "--json",
        ])
        #expect(made.values.first?["file"].string == file)
        #expect((made.values.first?["notifications"].integer ?? 0) >= before.count)
        // The gateway has continued to accept pushes.
        try await pusher.accepts(2)
        pusher.stop()
        try await group.waitForAll()
        return before
      }
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      try await gateway.crash()

      let target = scenario.folder.file("restored")
      let restored = try await scenario.belfryCommand(["restore", file, "--data", target])
      #expect(restored.output.contains("devices that enrolled are unknown"))
      #expect(restored.output.contains("rotations of the certificate authority are undone"))
      // A start that fails does not consume the notice.
      let taken = try await scenario.gateway("other")
      let failed = try scenario.belfry(
        ["gateway", "--data", target, "--console-port", "\(taken.port("console"))"]
          + ["provider", "device", "binary", "feedback"].flatMap { ["--\($0)-port", "0"] })
      #expect(try await failed.end() == 1)
      #expect(failed.errors.contains("choose another --console-port"), "\(failed.errors)")
      try await taken.stop()
      let again = try await scenario.gateway("restored")
      #expect(again.program.errors.contains("from a backup of"), "\(again.program.errors)")
      #expect(
        try await scenario.readiness(of: again).contains("notice: the data folder was restored"))
      let rows = try await scenario.belfryCommand([
        "doctor", "--gateway", "--data", target, "--json",
      ]).values
      let advice = rows.first { $0["feature"].string == "notice" }?["do"].string
      #expect(advice?.hasPrefix("revoke again the keys, certificates and devices") == true)
      #expect(again.keyID == gateway.keyID)
      #expect(again.enrollmentCode == gateway.enrollmentCode)
      // The device keeps its identity without enrolling again, so its token is unchanged.
      let back = try scenario.devices(of: again, topics: [app])
      #expect(try await back.token() == token)
      for number in before {
        _ = try await back.received { line in
          let payload = line["payload"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
          return String(decoding: payload, as: UTF8.self).contains("number \(number).")
        }
      }
      let answer = try await scenario.belfryCommand([
        "send", token, "--topic", app, "--body", "after", "--gateway", again.file,
      ])
      #expect(answer.values.first?["status"].integer == 200)
      // The gateway shows the notice only once; the following start is a normal one.
      try await again.stop()
      let third = try await scenario.gateway("restored")
      #expect(try await scenario.readiness(of: third) == "ready")
    }
  }

  @Test
  func `a device that enrolled after the backup enrolls again and gets a new token`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("backup.tar")
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await devices.program.stop()
      try await gateway.stop()
      _ = try await scenario.belfryCommand([
        "restore", file, "--data", scenario.folder.file("restored"),
      ])
      let again = try await scenario.gateway("restored")
      let back = try scenario.devices(of: again, topics: [app])
      let new = try await back.token()
      #expect(new != token)
      let sent = try await scenario.belfryCommand(
        ["send", token, new, "--topic", app, "--body", "hello", "--gateway", again.file],
        succeeding: false)
      #expect(sent.values.map { $0["status"].integer } == [400, 200], "\(sent.output)")
      _ = try await back.received()
    }
  }

  @Test(.requires(.python), arguments: ["control", "notifications"])
  func `a backup with a store of a newer release, or of another program, is not restored`(
    store: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let file = scenario.folder.file("backup.tar")
      let target = scenario.folder.file("restored")
      for (pragma, what) in [
        ("user_version", "\(store).sqlite has schema version 99"),
        ("application_id", "\(store).sqlite does not belong to this store"),
      ] {
        _ = try await scenario.command([
          TestTool.python.required(), "-c",
          "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA \(pragma) = 99')",
          "\(gateway.data)/\(store).sqlite",
        ])
        _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
        let result = try await scenario.belfryCommand(
          ["restore", file, "--data", target], succeeding: false)
        #expect(result.status == 1)
        #expect(result.errors.contains(what), "\(result.errors)")
        // The next start doesn't create a new gateway.
        #expect(try Set(FileSystem.list(target)) == ["lock", "restoring"])
        #expect(
          try await scenario.refusedStart(in: target).errors.contains("was not completely restored")
        )
      }
    }
  }

  @Test(arguments: ["token-keys", "ca.pem", "ca-key.pem"])
  func `a backup is not made of keys with which nothing starts, nor over a gateway's own files`(
    name: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("backup.tar")
      func backup(_ file: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["backup", file, "--data", gateway.data], succeeding: false)
      }
      #expect(try await backup(file).status == 0)
      let (good, own) = (try Data(contentsOf: URL(filePath: file)), gateway.data + "/" + name)
      let before = try Data(contentsOf: URL(filePath: own))
      let among = try await backup(own)
      #expect(
        among.status == 1 && among.errors.contains("inside the gateway's data folder"),
        "\(among)")
      #expect(try Data(contentsOf: URL(filePath: own)) == before)
      try "junk\n".write(toFile: own, atomically: true, encoding: .utf8)
      let spoilt = try await backup(file)
      #expect(spoilt.status == 1 && spoilt.errors.contains(name == "token-keys" ? name : "ca"))
      #expect(try Data(contentsOf: URL(filePath: file)) == good)
    }
  }

  @Test
  func
    `a stopped gateway is copied too, and nothing is restored over a folder or from half a file`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file("backup.tar")
      func restore(_ file: String, _ data: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(["restore", file, "--data", data], succeeding: false)
      }
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      let running = try await restore(file, gateway.data)
      #expect(running.status == 1)
      #expect(
        running.errors.contains("\(gateway.data) is in use by a gateway"), "\(running.errors)")
      // After a kill, committed data might still be in the write-ahead files.
      try await gateway.crash()
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      let full = try await restore(file, gateway.data)
      #expect(full.status == 1)
      #expect(full.errors.contains("is not empty"), "\(full.errors)")

      let bytes = try Data(contentsOf: URL(filePath: file))
      let target = scenario.folder.file("restored")
      for count in [0, 700, bytes.count / 2, bytes.count - 1_024] {
        let cut = scenario.folder.file("cut.tar")
        try bytes.prefix(count).write(to: URL(filePath: cut))
        let result = try await restore(cut, target)
        #expect(result.status == 1, "\(count) of \(bytes.count) bytes")
        #expect(
          result.errors.contains("is not a gateway's backup, or is truncated"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: target))
      }
      let missing = try await restore(scenario.folder.file("nothing.tar"), target)
      #expect(missing.status == 1)
      #expect(try await restore(file, target).status == 0)
      // A store with damaged pages isn't restored, and the folder is emptied.
      var damaged = bytes
      let start = bytes.count - 40_960
      damaged.replaceSubrange(start..<start + 20_000, with: Data(repeating: 0xA5, count: 20_000))
      let bad = scenario.folder.file("damaged.tar")
      try damaged.write(to: URL(filePath: bad))
      let other = scenario.folder.file("other")
      #expect(try await restore(bad, other).status == 1)
      #expect(try Set(FileSystem.list(other)) == ["lock", "restoring"])
      #expect(try await restore(file, other).status == 0)
      // A gateway does not start in a folder whose restore is incomplete.
      try "half".write(toFile: other + "/restoring", atomically: true, encoding: .utf8)
      let half = try await scenario.refusedStart(in: other)
      #expect(half.status == 1)
      #expect(half.errors.contains("was not completely restored from a backup"), "\(half.errors)")
      let nothing = try await scenario.belfryCommand(
        ["backup", file, "--data", scenario.folder.file("no-gateway")], succeeding: false)
      #expect(nothing.status == 1)
      #expect(nothing.errors.contains("no gateway in"))
    }
  }

  @Test
  func `a backup contains the certificates for host names that were added later`() async throws {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway()
      try await first.stop()
      // The certificate of a name that is too long for an archive is created again instead.
      let long = [60, 40].map { String(repeating: "a", count: $0) }.joined(separator: ".")
      let gateway = try await scenario.gateway(
        options: ["--name", "added.example", "--name", long + ".example"])
      try await gateway.stop()
      #expect(try FileSystem.list(gateway.data).contains("server-added-\(long).example.pem"))
      let file = scenario.folder.file("backup.tar")
      let target = scenario.folder.file("restored")
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      _ = try await scenario.belfryCommand(["restore", file, "--data", target])
      for ending in [".pem", "-key.pem", "-names"] {
        let name = "/server-added-added.example\(ending)"
        let bytes = try Data(contentsOf: URL(filePath: gateway.data + name))
        #expect(try Data(contentsOf: URL(filePath: target + name)) == bytes, "\(name)")
      }
    }
  }

  /// Returns the files of an archive, in order.
  private func files(of archive: String) throws -> [(name: String, bytes: [UInt8])] {
    let reader = try TarReader(archive)
    return try reader.entries.map { entry in
      (entry.name, try reader.content(of: entry.name, limit: 1 << 26) ?? [])
    }
  }

  private func write(_ files: [(name: String, bytes: [UInt8])], to archive: String) throws {
    let writer = try TarWriter(archive)
    for file in files { try writer.add(file.name, file.bytes, mode: 0o600, modifiedSeconds: 0) }
    try writer.finish()
  }

  @Test
  func `a backup in which anything is other than it was made restores nothing`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let file = scenario.folder.file("backup.tar")
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      let good = try files(of: file)
      #expect(good.last?.name == "SHA256SUMS")
      let (changed, data) = (scenario.folder.file("changed.tar"), scenario.folder.file("target"))
      func restore(_ files: [(name: String, bytes: [UInt8])]) async throws -> Int32 {
        try write(files, to: changed)
        let result = try await scenario.belfryCommand(
          ["restore", changed, "--data", data], succeeding: false)
        let left = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        if result.status != 0 {
          #expect(left.allSatisfy { ["lock", "restoring"].contains($0) }, "\(left)")
        }
        try? FileManager.default.removeItem(atPath: data)
        return result.status
      }
      #expect(try await restore(good) == 0)
      for index in good.indices {
        var files = good
        files.remove(at: index)
        #expect(try await restore(files) == 1, "without \(good[index].name)")
        files = good
        files[index].bytes[files[index].bytes.count / 2] ^= 1
        #expect(try await restore(files) == 1, "\(good[index].name) damaged")
        files = good
        files[index].bytes = []
        #expect(try await restore(files) == 1, "\(good[index].name) empty")
      }
      for name in [
        "AuthKey_../../evil.p8", "AuthKey_\nx.p8", "AuthKey_.p8", "AuthKey_short.p8", "../evil",
        "AuthKey_ABCDEFGHI/.p8", "unknown", "lock", "gateway.json", "admin-token",
      ] {
        #expect(try await restore(good.dropLast() + [(name, [1])] + good.suffix(1)) == 1, "\(name)")
      }
      #expect(!FileManager.default.fileExists(atPath: scenario.folder.file("evil")))
      // Backups of earlier releases contain no checksums, so only the other checks apply.
      var former = Array(good.dropLast())
      let description = String(decoding: former[0].bytes, as: UTF8.self)
      #expect(description.contains(#""format":2"#), "\(description)")
      former[0].bytes = Array(description.replacing(#""format":2"#, with: #""format":1"#).utf8)
      #expect(try await restore(former) == 0)
      for (index, one) in former.enumerated() where one.name == "manifest" {
        var files = former
        files.remove(at: index)
        #expect(try await restore(files) == 1)
      }
      for name in ["AuthKey_\nx.p8", "server-added-/../../evil.pem", "server-added-a\nb.pem"] {
        #expect(try await restore(former + [(name, [1])]) == 1, "\(name)")
      }
      #expect(!FileManager.default.fileExists(atPath: scenario.folder.file("evil.pem")))
    }
  }

  // The test uses a pipe as the target, because a device is handled in the same way and a test that might run as root
  // should not write to a device.
  @Test(arguments: ["folder", "pipe"])
  func `a backup takes no place but a file's`(target: String) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let file = scenario.folder.file(target)
      if target == "folder" {
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
      }
      if target == "pipe" { #expect(mkfifo(file, 0o600) == 0) }
      let kind = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
      let result = try await scenario.belfryCommand(
        ["backup", file, "--data", gateway.data], succeeding: false)
      #expect(result.status == 1)
      #expect(result.errors.contains("is not a regular file"), "\(result.errors)")
      let now = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
      #expect(now == kind)
    }
  }

  @Test func `A backup that is killed leaves no incomplete copy of the stores and keys`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let target = scenario.folder.file("backups")
      try FileSystem.makeDirectories(target)
      let file = target + "/backup.tar"
      var killed = 0
      for round in 0..<20 {
        let backup = try scenario.belfry(["backup", file, "--data", gateway.data])
        // Wait until a new file has content, or until some time has passed since the start.
        let deadline =
          ContinuousClock.now + .milliseconds(round.isMultiple(of: 2) ? 5_000 : 20 * round)
        while backup.isRunning, ContinuousClock.now < deadline,
          try FileSystem.list(target).allSatisfy({ name in
            name == "backup.tar" || FileSystem.byteCount(of: "\(target)/\(name)") ?? 0 == 0
          })
        { usleep(100) }
        backup.signal(SIGKILL)
        if try await backup.end() != 0 { killed += 1 }
        // An empty file isn't a backup; the next backup removes it. A backup that replaces another one has a temporary
        // name for an instant, but only after it is complete.
        for name in try FileSystem.list(target) where name != "backup.tar" {
          let left = "\(target)/\(name)"
          if FileSystem.byteCount(of: left) != 0 {
            let restored = try await scenario.belfryCommand(
              ["restore", left, "--data", scenario.folder.file("left-\(round)")],
              succeeding: false)
            #expect(restored.status == 0, "round \(round): \(restored.errors)")
          }
          try FileSystem.remove(left)
        }
      }
      #expect(killed > 0)
      // On file systems without unnamed files, the next backup removes the leftovers of a killed backup.
      for name in ["backup.tar.2000000000.abc.tmp", "other.tar.2000000000.abc.tmp"] {
        try FileSystem.write([1], to: "\(target)/\(name)")
      }
      _ = try await scenario.belfryCommand(["backup", file, "--data", gateway.data])
      #expect(try FileSystem.list(target) == ["backup.tar", "other.tar.2000000000.abc.tmp"])
      _ = try await scenario.belfryCommand([
        "restore", file, "--data", scenario.folder.file("restored"),
      ])
    }
  }
}
