import Foundation
import Glibc
import System
import TestSupport
import Testing

/// Tests of commands that root runs on the folder of another user.
@Suite(
  .timeLimit(.minutes(60)),
  .enabled(if: geteuid() == 0, "only root can act as another user: run the tests as root"))
struct FolderOwnerTests {
  /// The user ID of Debian's `nobody`.
  private static let user: UInt32 = 65_534

  /// Creates a stopped gateway in a folder that the user owns, inside a folder that the user can write to.
  private func usersGateway(_ scenario: Scenario) async throws -> (home: String, data: String) {
    // The user must be able to reach the folder.
    try #require(chmod(scenario.folder.path, 0o711) == 0)
    let home = scenario.folder.file("home")
    try FileSystem.makeDirectories(home)
    let gateway = try await scenario.gateway("home/gateway")
    try await gateway.stop()
    try give(home)
    return (home, gateway.data)
  }

  /// Makes the user the owner of a folder and its contents.
  private func give(_ folder: String) throws {
    try #require(chown(folder, Self.user, Self.user) == 0)
    for path in try #require(FileManager.default.subpaths(atPath: folder)) {
      try #require(lchown(folder + "/" + path, Self.user, Self.user) == 0)
    }
  }

  private func owners(in folder: String) throws -> Set<UInt32> {
    try Set(FileSystem.list(folder).map { try FileSystem.owner(of: "\(folder)/\($0)") })
  }

  @Test func `The doctor lists a required file that the gateway's user cannot read`() async throws {
    try await Scenario.run { scenario in
      let data = try await usersGateway(scenario).data
      let doctor = ["doctor", "--gateway", "--data", data, "--json"]
      func row() async throws -> JSONLine? {
        try await scenario.belfryCommand(doctor, succeeding: false).values.first {
          $0["feature"].string == "required files"
        }
      }
      #expect(try await row()?["state"].string == "ok")
      try #require(chown(data + "/ca-key.pem", 0, 0) == 0)
      let unreadable = try #require(try await row())
      #expect(unreadable["state"].string == "missing")
      #expect(
        unreadable["detail"].string?.hasPrefix("this user cannot read ca-key.pem ") == true,
        "\(unreadable)")
    }
  }

  @Test func `The doctor names the folder to which the gateway's user cannot write`() async throws {
    try await Scenario.run { scenario in
      let data = try await usersGateway(scenario).data
      try #require(chmod(data, 0o500) == 0)
      let rows = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", data, "--json"], succeeding: false
      ).values
      let files = try #require(rows.first { $0["feature"].string == "required files" })
      #expect(files["state"].string == "missing")
      #expect(files["detail"].string == "this user cannot write to \(data)", "\(files)")
      let process = try #require(rows.first { $0["feature"].string == "process" })
      #expect(process["do"].string?.contains("see 'required files'") == true, "\(process)")
    }
  }

  @Test func `Commands that root runs in a user's folder use that user's rights`() async throws {
    try await Scenario.run { scenario in
      let (home, data) = try await usersGateway(scenario)
      let output = scenario.folder.file("root's")
      try FileSystem.makeDirectories(output)
      let team = try await scenario.belfryCommand([
        "team", "add", "Burgers", "--id", "ABCDE12345", "--data", data,
      ])
      #expect(team.status == 0)
      _ = try await scenario.belfryCommand([
        "topic", "add", "--team", "ABCDE12345", "com.example.app", "--data", data,
      ])
      _ = try await scenario.belfryCommand([
        "certificate", "add", "--team", "ABCDE12345", "--topic", "com.example.app", "--out",
        output + "/certificate.pem", "--data", data,
      ])
      _ = try await scenario.belfryCommand([
        "backup", output + "/backup.tar", "--data", data,
      ])
      _ = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", data], succeeding: false)
      #expect(try owners(in: data) == [Self.user])
      // A file that root specified belongs to root. The file is in a folder that only root can enter.
      #expect(try owners(in: output) == [0])
      #expect(try Set(FileSystem.list(output)) == ["backup.tar", "certificate.pem"])

      // A restored folder belongs to the user who owns the parent folder and could therefore replace the restored
      // folder.
      for name in ["restored", "empty"] {
        let target = "\(home)/\(name)"
        if name == "empty" {
          try FileSystem.makeDirectories(target)
          try give(target)
        }
        _ = try await scenario.belfryCommand([
          "restore", output + "/backup.tar", "--data", target,
        ])
        #expect(try owners(in: target) == [Self.user])
        #expect(try FileSystem.owner(of: target) == Self.user)
      }
      try FileSystem.remove(data + "/token-keys")
      let gateway = try await scenario.gateway("home/gateway", options: ["--recover"])
      let status = try String(
        contentsOfFile: "/proc/\(gateway.program.pid)/status", encoding: .utf8)
      let ids = status.split(separator: "\n").first { $0.hasPrefix("Uid:") }
      #expect(
        ids?.split(separator: "\t").dropFirst().allSatisfy { $0 == "65534" } == true, "\(ids ?? "")"
      )
      // The process can still open ports below 1,024, but has none of root's other privileges.
      #expect(status.contains("CapEff:\t0000000000000400"), "\(status)")
      try await gateway.stop()
      #expect(try owners(in: data) == [Self.user])
    }
  }

  @Test func `A link of the user's in place of the folder is refused, one of root's is followed`()
    async throws
  {
    try await Scenario.run { scenario in
      let (home, data) = try await usersGateway(scenario)
      let links = [home + "/link", scenario.folder.file("link")]
      for link in links { try #require(symlink(data, link) == 0) }
      try #require(lchown(links[0], Self.user, Self.user) == 0)
      let refused = try await scenario.belfryCommand(
        ["team", "list", "--data", links[0]], succeeding: false)
      #expect(refused.status == 1)
      #expect(
        refused.errors.contains("is a symbolic link owned by user 65534"), "\(refused.errors)")
      let followed = try await scenario.belfryCommand(["team", "list", "--data", links[1]])
      #expect(followed.lines.count > 1)
    }
  }

  @Test(.requires(.systemPython, .setpriv))
  func `A user who exchanges the folder for a link gets no file of root's`() async throws {
    try await Scenario.run { scenario in
      let (home, data) = try await usersGateway(scenario)
      let backup = scenario.folder.file("backup.tar")
      _ = try await scenario.belfryCommand(["backup", backup, "--data", data])
      // The attacker's target is a file that belongs to root, in a folder that belongs to root.
      let secrets = scenario.folder.file("secrets")
      try FileSystem.makeDirectories(secrets)
      let victims = ["shadow", "lock", "control.sqlite", "admin-token"].map { "\(secrets)/\($0)" }
      for victim in victims { try FileSystem.write(Array("secret".utf8), to: victim) }
      let empty = home + "/empty"
      try FileSystem.makeDirectories(empty)
      let targets = [(data, home + "/one"), (empty, home + "/two")]
      for (_, link) in targets { try #require(symlink(secrets, link) == 0) }
      try give(home)
      let python = try TestTool.systemPython.required()
      var exchanging: [RunningProgram] = []
      for (folder, link) in targets {
        let program = try scenario.start([
          try TestTool.setpriv.required(), "--reuid=\(Self.user)", "--regid=\(Self.user)",
          "--clear-groups", "--", python, Installation.root + "/Tests/Clients/exchange-folders",
          folder,
          link,
        ])
        _ = try await program.text("exchanging")
        exchanging.append(program)
      }
      let commands = [
        ["team", "list", "--data", data], ["device", "code", "--data", data],
        ["restore", backup, "--data", empty],
        // This command exits once it has opened the folder.
        [
          "gateway", "--data", data, "--recover", "--server-certificate", home + "/none",
          "--server-key", home + "/none",
        ],
      ]
      for round in 0..<40 {
        for command in commands {
          _ = try await scenario.belfryCommand(command, succeeding: false)
        }
        let gone = try FileSystem.list(secrets).filter {
          (try? FileSystem.owner(of: "\(secrets)/\($0)")) != 0
        }
        #expect(gone.isEmpty, "root no longer owns a file after round \(round)")
        if !gone.isEmpty { break }
      }
      // The commands also wrote nothing through the link.
      #expect(try FileSystem.list(secrets).count == victims.count)
      for victim in victims {
        #expect(try FileSystem.read(victim, limit: 100) == Array("secret".utf8))
      }
      for program in exchanging { program.signal(SIGKILL) }
    }
  }
}
