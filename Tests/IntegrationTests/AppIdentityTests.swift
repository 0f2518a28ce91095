import Foundation
import Glibc
import System
import TestSupport
import Testing

/// Tests, with real processes, of the identities that a process can have when it connects to the agent's socket.
@Suite(.timeLimit(.minutes(60))) struct AppIdentityTests {
  static let client = Installation.root + "/Tests/Clients/app-client"

  /// Starts an agent with an installed app whose program is a copy of Python, and returns the path of the copy.
  private func installedApp(
    _ scenario: Scenario, _ agent: AgentProgram
  ) async throws -> String {
    let program = scenario.folder.file("burger")
    try FileManager.default.copyItem(
      atPath: URL(fileURLWithPath: "/bin/true").resolvingSymlinksInPath().path, toPath: program)
    let desktopFile = scenario.folder.file("org.example.burger.desktop")
    try """
    [Desktop Entry]
    Type=Application
    Name=Burger
    Exec=\(program)
    """.write(toFile: desktopFile, atomically: true, encoding: .utf8)
    _ = try await scenario.belfryCommand(["app", "install", desktopFile, "--socket", agent.socket])
    return program
  }

  private func ask(
    _ scenario: Scenario, _ socket: String, _ arguments: [String], in sandbox: [String] = []
  ) async throws -> [JSONLine] {
    let python = try TestTool.systemPython.required()
    return try await scenario.command(
      sandbox + [python, Self.client, socket] + arguments
    ).values
  }

  private func reason(_ line: JSONLine?) -> String? { line?["error"]["reason"].string }

  @Test(.requires(.systemPython))
  func `a process that greets and ends is not the installed app that it said it was`() async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await installedApp(scenario, agent)
      let answers = try await ask(
        scenario, agent.socket, ["gone", "org.example.burger", String(agent.program.pid)])
      #expect(reason(answers.first) == "appRefused", "\(answers)")
      #expect(answers.first?["error"]["message"].string?.contains("has exited") == true)
    }
  }

  /// Tests an agent without the capability with which root can inspect every process.
  ///
  /// Without that capability, root has no more insight into processes than any other user.
  @Test(.requires(.systemPython, .setpriv))
  func `a process that the agent cannot inspect is refused as an app`() async throws {
    try await Scenario.run { scenario in
      let unprivileged =
        geteuid() == 0
        ? [try TestTool.setpriv.required(), "--bounding-set=-sys_ptrace", "--"] : []
      let (socket, ready) = (scenario.folder.file("agent.sock"), scenario.folder.file("ready.json"))
      let program = try scenario.start(
        unprivileged + [
          Installation.belfry, "agent", "--data", scenario.folder.file("agent"), "--socket", socket,
          "--presenter", "json", "--ready-file", ready,
        ], name: "belfry agent")
      _ = try await ScratchFolder.contents(of: ready) { !program.isRunning }
      // Don't use the `belfry` program, because its process would have more capabilities than the agent.
      let seen = try await ask(scenario, socket, ["app", "org.example.seen"], in: unprivileged)
      #expect(seen.first?["app"].string == "org.example.seen", "\(seen)")
      let hidden = try await ask(
        scenario, socket, ["hidden", "org.example.hidden"], in: unprivileged)
      #expect(reason(hidden.first) == "appRefused", "\(hidden)")
      #expect(hidden.first?["error"]["message"].string?.contains("cannot inspect") == true)
    }
  }

  @Test(.requires(.systemPython, .bwrap))
  func `a sandboxed process controls nothing and is no installed app`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let program = try await installedApp(scenario, agent)
      let free = try await ask(scenario, agent.socket, ["control"])
      #expect(free.count == 2 && reason(free.first) == nil && reason(free.last) == nil, "\(free)")
      let sandbox = [
        try TestTool.bwrap.required(), "--ro-bind", "/", "/", "--dev", "/dev", "--bind",
        scenario.folder.path, scenario.folder.path,
      ]
      let control = try await ask(scenario, agent.socket, ["control"], in: sandbox)
      #expect(reason(control.first) == "appRefused", "\(control)")
      #expect(control.count == 2 && control.last?["closed"].boolean == true, "\(control)")
      // The sandbox has a different program at the path of the app's program.
      let python = URL(fileURLWithPath: try TestTool.systemPython.required())
        .resolvingSymlinksInPath().path
      let disguised = try await scenario.command(
        sandbox + [
          "--ro-bind", python, program, program, Self.client, agent.socket, "app",
          "org.example.burger",
        ]
      ).values
      #expect(reason(disguised.first) == "appRefused", "\(disguised)")
      // The sandboxed process can connect as an app with its own identifier.
      let own = try await ask(scenario, agent.socket, ["app", "org.example.own"], in: sandbox)
      #expect(own.first?["app"].string == "org.example.own", "\(own)")
    }
  }

  /// Creates a copy of Python, and returns the words that run `app-client` with the copy from any folder.
  private func python(_ scenario: Scenario, at path: String) async throws -> [String] {
    let python = URL(fileURLWithPath: try TestTool.systemPython.required())
      .resolvingSymlinksInPath().path
    try? FileManager.default.removeItem(atPath: path)
    // Copy the file in a separate process. If this process copied it, programs that start at the same time would
    // inherit the file's descriptor, and the copy could not be executed.
    _ = try await scenario.command(["/bin/cp", python, path])
    return [path, Self.client]
  }

  @Test(.requires(.systemPython))
  func
    `An app whose program was upgraded while it runs is that app still, and no other program is`()
    async throws
  {
    try await Scenario.run { scenario in
      let first = try await scenario.agent(of: nil)
      let program = try await installedApp(scenario, first)
      let words = try await python(scenario, at: program)
      func start(_ words: [String], _ more: [String] = []) async throws -> RunningProgram {
        let app = try scenario.start(
          words + [first.socket, "later"] + more, environment: ["PYTHONHOME": "/usr"])
        _ = try await app.event("started")
        return app
      }
      func answer(_ app: RunningProgram) async throws -> JSONLine {
        app.tell("now")
        return try await app.line(called: "the agent's answer") { $0["answers"].integer == 1 }
      }
      let (app, claiming) = (try await start(words), try await start(words, ["org.example.burger"]))
      // Replace the program as dpkg does, by renaming a new file to its name.
      _ = try await python(scenario, at: program + ".new")
      try #require(rename(program + ".new", program) == 0)
      let link = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(app.pid)/exe")
      #expect(link == program + " (deleted)")
      try await first.program.stop()
      let agent = try await scenario.agent(of: nil)
      #expect(agent.socket == first.socket)
      for app in [app, claiming] {
        let line = try await answer(app)
        #expect(line["app"].string == "org.example.burger", "\(line)")
      }

      // Check programs that were deleted in another folder, one of them with a similar name, and a program that was
      // deleted without a replacement.
      let folder = scenario.folder.file("elsewhere")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for name in ["burger", "burger (deleted)"] {
        let stranger = try await start(
          try await python(scenario, at: folder + "/" + name), ["org.example.burger"])
        try FileManager.default.removeItem(atPath: folder + "/" + name)
        let line = try await answer(stranger)
        #expect(reason(line) == "appRefused", "\(name): \(line)")
      }
      let last = try await start(words, ["org.example.burger"])
      try FileManager.default.removeItem(atPath: program)
      #expect(try await reason(answer(last)) == "appRefused")
    }
  }

  @Test(.requires(.systemPython, .bwrap))
  func `A sandbox that claims to be Flatpak's is no app where Flatpak does not know it`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let info = scenario.folder.file("flatpak-info")
      for instance in ["", "instance-id=4711\n", "instance-id=../../x\n"] {
        try "[Application]\nname=org.example.boxed\n\n[Instance]\n\(instance)"
          .write(toFile: info, atomically: true, encoding: .utf8)
        for mode in [["app", "org.example.boxed"], ["app"], ["app", "org.example.other"]] {
          let answers = try await ask(
            scenario, agent.socket, mode, in: sandbox(scenario, flatpakInfo: info))
          #expect(reason(answers.first) == "unknownApp", "\(instance) \(mode): \(answers)")
        }
      }
    }
  }

  /// Returns the words that run a program in separate namespaces, with a `/.flatpak-info` that any process could
  /// create.
  private func sandbox(_ scenario: Scenario, flatpakInfo: String? = nil) throws -> [String] {
    let files = FileManager.default
    var words = [
      try TestTool.bwrap.required(), "--unshare-user", "--unshare-pid", "--tmpfs", "/",
    ]
    for name in try files.contentsOfDirectory(atPath: "/") where !["dev", "proc"].contains(name) {
      if let target = try? files.destinationOfSymbolicLink(atPath: "/" + name) {
        words += ["--symlink", target, "/" + name]
      } else {
        words += ["--bind", "/" + name, "/" + name]
      }
    }
    words += ["--dev", "/dev", "--proc", "/proc"]
    return words + (flatpakInfo.map { ["--ro-bind", $0, "/.flatpak-info"] } ?? [])
  }

  @Test(.requires(.systemPython, .bwrap, .flatpak))
  func `An app of Flatpak's is who Flatpak says it is, and no other sandbox may be it`()
    async throws
  {
    let app = "org.example.boxed"
    try await Scenario.run { scenario in
      // Flatpak's sandboxes can access a folder of the host at /run, but not the host's sockets.
      let folder = scenario.folder.file("flatpak")
      let environment = [
        "FLATPAK_USER_DIR": folder + "/user", "XDG_DATA_HOME": folder + "/data",
        "FLATPAK_SYSTEM_DIR": folder + "/system",
      ]
      _ = try await scenario.command(
        [Installation.root + "/Tests/Clients/make-flatpak", folder, app], environment: environment,
        within: TestTimeout.long)
      let agent = try await scenario.agent(of: nil)
      func run(_ words: [String]) throws -> RunningProgram {
        try scenario.start(
          [
            try TestTool.flatpak.required(), "--user", "run",
            "--filesystem=\(scenario.folder.path)",
            "--filesystem=\(Installation.root)", app, Self.client, agent.socket,
          ] + words, environment: environment)
      }
      func answer(_ program: RunningProgram) async throws -> JSONLine {
        try await program.line(called: "the agent's answer") { $0["answers"].integer == 1 }
      }
      // Flatpak's records and the sandbox's own file must agree.
      #expect(try await answer(run(["app"]))["app"].string == app)
      #expect(try await answer(run(["app", app]))["app"].string == app)
      #expect(try await reason(answer(run(["app", "org.example.other"]))) == "appRefused")

      // Another process can read the number of a running sandbox and claim that the number is its own.
      let running = try run(["later"])
      _ = try await running.event("started")
      let instances = scenario.folder.file(".flatpak")
      let number = try #require(
        FileManager.default.contentsOfDirectory(atPath: instances).first { name in
          name.allSatisfy(\.isNumber)
            && FileSystem.lockHolder(of: "\(instances)/\(name)/.ref") != nil
        })
      let info = "\(instances)/\(number)/info"
      for mode in [["app"], ["app", app]] {
        let forged = try await ask(
          scenario, agent.socket, mode, in: sandbox(scenario, flatpakInfo: info))
        #expect(reason(forged.first) == "unknownApp", "\(forged)")
      }
      let silent = try await ask(scenario, agent.socket, ["app", app], in: sandbox(scenario))
      #expect(reason(silent.first) == "appRefused", "\(silent)")
      running.tell("now")
      #expect(try await answer(running)["app"].string == app)
      // After the sandbox has exited, its folder proves nothing.
      try await running.end()
      let late = try await ask(
        scenario, agent.socket, ["app"],
        in: sandbox(
          scenario,
          flatpakInfo: scenario.write(
            "[Application]\nname=\(app)\n[Instance]\ninstance-id=\(number)\n", to: "late-info")))
      #expect(reason(late.first) == "unknownApp", "\(late)")
    }
  }
}
