import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of long-running commands whose output is not read.
@Suite(.timeLimit(.minutes(60))) struct FullPipeTests {
  private let topic = "com.example.app"

  /// A full pipe, at a path to which a program's output can be redirected.
  private final class FullPipe: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
      self.path = path
      try #require(mkfifo(path, 0o600) == 0)
      // This process has both ends open, so that a writer neither waits for a reader to open the pipe nor fails because
      // the last reader is gone.
      descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      try #require(descriptor >= 0)
      let page = [UInt8](repeating: 0x2E, count: 4_096)
      while write(descriptor, page, page.count) > 0 {}
      while write(descriptor, page, 1) > 0 {}
    }

    deinit { close(descriptor) }
  }

  private enum Stream: String, CaseIterable {
    case output = "1"
    case errors = "2"
  }

  /// Starts `belfry` with a full pipe as one of its streams, and waits until it blocks on that pipe.
  private func blocked(
    _ arguments: [String], on stream: Stream, in scenario: Scenario
  ) async throws -> (RunningProgram, FullPipe) {
    let pipe = try FullPipe(scenario.folder.file("full-\(UUID())"))
    let redirected = "exec \"$@\" \(stream.rawValue)>'\(pipe.path)'"
    let program = try scenario.start(
      ["/bin/sh", "-c", redirected, "sh", Installation.belfry] + arguments,
      name: "belfry \(arguments[0])")
    let deadline = ContinuousClock.now + TestTimeout.standard
    while !isWaiting(program.pid), program.isRunning, ContinuousClock.now < deadline {
      await Task.yield()
      usleep(20_000)
    }
    #expect(isWaiting(program.pid), "\(arguments) does not wait for the pipe: \(program.errors)")
    return (program, pipe)
  }

  /// Returns true if a process or one of its children waits for room in a pipe.
  ///
  /// A waiting process is either in write(2) or in Belfry's own call of poll(2), which has one descriptor and a timeout
  /// of 50 ms.
  private func isWaiting(_ pid: Int32) -> Bool {
    let files = FileManager.default
    let threads = (try? files.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    for thread in threads {
      let folder = "/proc/\(pid)/task/\(thread)/"
      let place = (try? String(contentsOfFile: folder + "wchan", encoding: .utf8)) ?? ""
      if place.hasSuffix("pipe_write") { return true }
      let call = (try? String(contentsOfFile: folder + "syscall", encoding: .utf8)) ?? ""
      let words = call.split(separator: " ")
      #if arch(x86_64)
        if words.count > 3, words[0] == "7", words[2] == "0x1", words[3] == "0x32" { return true }
      #else
        if words.count > 3, words[0] == "73", words[2] == "0x1" { return true }
      #endif
      let children = (try? String(contentsOfFile: folder + "children", encoding: .utf8)) ?? ""
      if children.split(separator: " ").contains(where: { Int32($0).map(isWaiting) ?? false }) {
        return true
      }
    }
    return false
  }

  /// Requests that a program exit, and waits until it has exited.
  ///
  /// The program must exit although no process reads its output.
  private func end(_ blocked: (program: RunningProgram, pipe: FullPipe)) async throws {
    let program = blocked.program
    do {
      try await program.stop(within: .seconds(20))
    } catch {
      program.signal(SIGKILL)
      throw error
    }
    withExtendedLifetime(blocked.pipe) {}
  }

  @Test(arguments: ["1", "2"])
  func `Virtual devices exit on SIGTERM while nobody reads one of their output streams`(
    stream: String
  ) async throws {
    let stream = try #require(Stream(rawValue: stream))
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      var joining = scenario.joining(gateway)
      if stream == .errors { joining[1] = "127.0.0.1:\(ReservedPorts.next())" }
      let program = try await blocked(
        ["device", "run", "--data", scenario.folder.file("devices"), "--app", topic] + joining,
        on: stream, in: scenario)
      try await end(program)
    }
  }

  @Test(arguments: ["1", "2"])
  func `An agent exits on SIGTERM while nobody reads one of its output streams`(
    stream: String
  ) async throws {
    let stream = try #require(Stream(rawValue: stream))
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let socket = scenario.folder.file("agent.sock")
      let program = try await blocked(
        [
          "agent", "--data", scenario.folder.file("agent"), "--socket", socket, "--presenter",
          "json", "--grant", "all",
        ] + scenario.joining(gateway), on: stream, in: scenario)
      try await end(program)
      // The program exited gracefully.
      #expect(!FileManager.default.fileExists(atPath: socket))
    }
  }

  @Test func `An app started from a shell exits on SIGTERM while nobody reads its output`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let program = try await blocked(
        ["app", "run", topic, "--socket", agent.socket], on: .output, in: scenario)
      try await end(program)
    }
  }

  @Test func `Services exit on SIGTERM while nobody reads their log`() async throws {
    try await Scenario.run { scenario in
      var ports: [String] = []
      for listener in ["provider", "device", "binary", "feedback", "console"] {
        ports += ["--\(listener)-port", "0"]
      }
      let data = scenario.folder.file("gateway")
      let gateway = try await blocked(
        ["gateway", "--data", data] + ports, on: .errors, in: scenario)
      try await end(gateway)
      let provider = try await blocked(
        ["provider", "--data", scenario.folder.file("registry"), "--port", "0", "--topic", topic],
        on: .errors, in: scenario)
      try await end(provider)
    }
  }

  @Test func `A developer's gateway and agent exit on SIGTERM while nobody reads their output`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let program = try await blocked(
        ["dev", "--data", data, "--presenter", "json", "--json"], on: .output, in: scenario)
      let text = try String(contentsOfFile: data + "/gateway/gateway.json", encoding: .utf8)
      let gateway = try #require(JSONLine(text)?["pid"].integer)
      try await end(program)
      #expect(kill(Int32(gateway), 0) != 0)
      #expect(!FileManager.default.fileExists(atPath: data + "/agent.sock"))
    }
  }

  @Test func `Commands that follow something exit on SIGTERM while nobody reads their output`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (_, token) = try await scenario.app(topic, on: agent)
      _ = try await scenario.belfryCommand([
        "send", token, "--topic", topic, "--body", "Hello", "--gateway", gateway.file,
      ])
      let registry = try await scenario.registry(of: gateway, topic: topic)
      let tokens = scenario.folder.file("tokens")
      try String(repeating: token + "\n", count: 1).write(
        toFile: tokens, atomically: true, encoding: .utf8)
      let campaign = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"body":"Hello"}}"#, to: "campaign.json")
      let commands: [[String]] = [
        ["log", "--follow", "--json", "--data", gateway.data],
        ["gateway", "status", "--watch", "--json", "--data", gateway.data],
        ["subscribe", "backups", "--socket", agent.socket, "--gateway", gateway.file],
        ["campaign", "send", campaign, "--to", tokens, "--json", "--provider", registry.address],
      ]
      for command in commands {
        try await end(try await blocked(command, on: .output, in: scenario))
      }
    }
  }
}
