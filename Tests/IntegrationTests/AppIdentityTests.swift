import Foundation
import Glibc
import TestSupport
import Testing

/// Who a process at the agent's socket may be, asked by real processes.
@Suite(.timeLimit(.minutes(60))) struct AppIdentityTests {
  static let client = Installation.root + "/Tests/Clients/app-client"

  /// An agent with an installed app whose program is a copy of Python; gives the copy.
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
      #expect(answers.first?["error"]["message"].string?.contains("has ended") == true)
    }
  }

  /// Root may look at every process, unless it lacks the capability: then it is as any user.
  @Test(.requires(.systemPython, .setpriv))
  func `a process that nobody may look at is no app and controls nothing`() async throws {
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
      // `belfry` itself would be a process with more capabilities than the agent.
      let seen = try await ask(scenario, socket, ["app", "org.example.seen"], in: unprivileged)
      #expect(seen.first?["app"].string == "org.example.seen", "\(seen)")
      let hidden = try await ask(
        scenario, socket, ["hidden", "org.example.hidden"], in: unprivileged)
      #expect(reason(hidden.first) == "appRefused", "\(hidden)")
      #expect(hidden.first?["error"]["message"].string?.contains("may not look at") == true)
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
      // The sandbox has its own program at the path of the app's.
      let python = URL(fileURLWithPath: try TestTool.systemPython.required())
        .resolvingSymlinksInPath().path
      let disguised = try await scenario.command(
        sandbox + [
          "--ro-bind", python, program, program, Self.client, agent.socket, "app",
          "org.example.burger",
        ]
      ).values
      #expect(reason(disguised.first) == "appRefused", "\(disguised)")
      // It may be an app of its own.
      let own = try await ask(scenario, agent.socket, ["app", "org.example.own"], in: sandbox)
      #expect(own.first?["app"].string == "org.example.own", "\(own)")
    }
  }
}
