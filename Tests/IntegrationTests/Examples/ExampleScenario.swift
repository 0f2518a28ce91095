import Foundation
import TestSupport
import Testing

/// The programs of `Examples/`, a separate package that uses this one in the same way as any other package.
enum Examples {
  static let folder = Installation.root + "/Examples"

  /// The build of the examples, which runs once, before the first example.
  ///
  /// The build is skipped if `BELFRY_EXAMPLES_ARE_BUILT` is set.
  private static let build = Task {
    if ProcessInfo.processInfo.environment["BELFRY_EXAMPLES_ARE_BUILT"] != nil { return }
    try await Scenario.run(needsPlace: false) { scenario in
      _ = try await scenario.command(
        ["/usr/bin/env", "swift", "build", "--package-path", folder],
        environment: ["HOME": NSHomeDirectory()], within: .seconds(3_600))
    }
  }

  /// Returns the path of a program's executable.
  static func executable(_ name: String) async throws -> String {
    try await build.value
    return folder + "/.build/debug/" + name
  }
}

extension Scenario {
  /// Runs an example as a development app of the agent.
  func example(
    _ name: String, on agent: AgentProgram, app: String? = nil, arguments: [String] = [],
    environment: [String: String] = [:]
  ) async throws -> RunningProgram {
    try start(
      [try await Examples.executable(name)] + arguments, name: name,
      environment: [
        "BELFRY_SOCKET": agent.socket, "BELFRY_APP_ID": app ?? "org.example.\(name)",
      ].merging(environment) { $1 })
  }

  /// Runs `belfry` against the agent.
  @discardableResult
  func tell(_ agent: AgentProgram, _ arguments: String...) async throws -> CommandResult {
    try await belfryCommand(arguments + ["--socket", agent.socket])
  }

  /// Sends a push and checks that the gateway accepts it.
  func push(
    _ payload: String, to token: String, topic: String, of gateway: GatewayProgram,
    options: [String] = []
  ) async throws {
    let result = try await belfryCommand(
      ["send", token, "--topic", topic, "--gateway", gateway.file, "--payload", "-"] + options,
      input: payload)
    let status = result.values.first?["status"].integer
    guard status == 200 else {
      throw ProgramFailure.unreadable("the gateway took no push: \(result.output)")
    }
  }

  /// Waits for an example's line `token HEX`, and returns the token.
  func token(of example: RunningProgram) async throws -> String {
    String(try await example.text("token ").dropFirst(6))
  }

  /// Waits for the token of an example, for use in an expectation.
  ///
  /// Returns nil if no token arrives.
  func nextToken(of example: RunningProgram) async -> String? {
    await example.nextText("token ").map { String($0.dropFirst(6)) }
  }

  /// Copies a program in a separate process.
  ///
  /// If this process copied the program, a program that another test starts at the same time would inherit the open
  /// file. An executable that is open for writing can't be started.
  func copy(_ file: String, to place: String) async throws {
    _ = try await command(["/bin/cp", file, place])
  }

  /// Copies an example into an app's folder, in the form that `belfry app install` accepts.
  func bundle(
    _ name: String, id: String, manifest: [String: Any] = [:], languages: [String: String] = [:]
  ) async throws -> String {
    let folder = folder.file(name + ".app")
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await copy(try await Examples.executable(name), to: folder + "/" + name)
    let list: [String: Any] = [
      "CFBundleIdentifier": id, "CFBundleExecutable": name, "CFBundleName": name,
      "aps-environment": "development",
    ].merging(manifest) { $1 }
    try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
      .write(to: URL(fileURLWithPath: folder + "/Info.plist"))
    for (language, texts) in languages {
      let place = folder + "/\(language).lproj"
      try files.createDirectory(atPath: place, withIntermediateDirectories: true)
      try texts.write(
        toFile: place + "/Localizable.strings", atomically: true, encoding: .utf8)
    }
    return folder
  }
}

extension AgentProgram {
  /// Waits until the next notification of an app is shown, and returns its line.
  func presented(
    _ app: String, within limit: Duration = TestTimeout.standard
  ) async throws -> JSONLine {
    try await program.event("presented", within: limit) { $0["app"].string == app }
  }

  /// Waits until the next notification of an app is shown, for use in an expectation.
  ///
  /// Returns `null` after a timeout.
  func nextPresented(_ app: String) async -> JSONLine {
    await program.nextEvent("presented") { $0["app"].string == app }
  }
}

extension RunningProgram {
  /// Waits until the program has written text to standard error, which no event reports.
  ///
  /// Fails after a timeout.
  @discardableResult
  func error(_ text: String) async throws -> Bool {
    let end = ContinuousClock.now + TestTimeout.standard
    while !errors.contains(text) {
      guard ContinuousClock.now < end else {
        throw ProgramFailure.unreadable(
          "timed out while waiting for '\(text)'; standard error: \(errors)")
      }
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { continuation.resume() }
      }
    }
    return true
  }

  /// Returns true if the program writes the text to standard error before the timeout.
  ///
  /// Use this method in an expectation, which then fails after a timeout.
  func hasError(_ text: String) async -> Bool {
    do {
      return try await error(text)
    } catch {
      print("\(error)")
      return false
    }
  }
}
