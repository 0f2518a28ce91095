import Foundation
import TestSupport

/// A separate home folder, in which tests run the lines of the documents as a user would type them.
///
/// `belfry` is on the path. The gateway uses free ports unless a page describes ports, and the agent grants every
/// permission without a prompt.
struct DocumentationHome {
  /// The ports that a gateway uses.
  enum Ports {
    /// Free ports.
    case free
    /// The ports that the lines specify, or the default ports, in a separate network namespace for the home folder.
    case documented
  }

  let scenario: Scenario
  private let variables: [String: String]

  init(_ scenario: Scenario, ports: Ports = .free) async throws {
    self.scenario = scenario
    let folder = scenario.folder
    for name in ["bin", "home", "run"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
    }
    let free =
      "--provider-port 0 --device-port 0 --binary-port 0 --feedback-port 0 --console-port 0"
    _ = try await scenario.script(
      "bin/belfry",
      """
      real=\(Installation.belfry)
      case "$1" in
        gateway)
          case "$2" in status | check-config | --check-config) exec $real "$@" ;; esac
          shift
          exec $real gateway \(ports == .free ? free : "") "$@" ;;
        agent) shift; exec $real agent --grant all --presenter json "$@" ;;
        dev) shift; exec $real dev --presenter json "$@" ;;
        # A person types no faster than an agent starts.
        notify | subscribe | doctor | app)
          test "$2" = --gateway || until [ -S "$BELFRY_SOCKET" ]; do sleep 0.05; done
          exec $real "$@" ;;
        # And opens what is on the screen.
        center) until $real center | grep -q Hello; do sleep 0.05; done; exec $real "$@" ;;
        *) exec $real "$@" ;;
      esac
      """)
    // The script runs a command that continues until it is stopped. Like a user, the script stops the command once it
    // has printed a line that contains the given word.
    _ = try await scenario.script(
      "bin/until-it-says",
      """
      word=$1; shift
      said=$(mktemp)
      "$@" >"$said" 2>&1 &
      until grep -q "$word" "$said" || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
      kill $! 2>/dev/null
      wait $!
      cat "$said"
      grep -q "$word" "$said"
      """)
    variables = [
      "HOME": folder.file("home"), "XDG_RUNTIME_DIR": folder.file("run"),
      "XDG_STATE_HOME": folder.file("home/.local/state"),
      "BELFRY_SOCKET": folder.file("run/agent.sock"), "TMPDIR": folder.path,
      "SHELL": "/bin/bash",
      "PATH": folder.file("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
    ]
  }

  /// Returns a path in the home folder.
  func file(_ name: String) -> String { scenario.folder.file("home/" + name) }

  /// Runs lines in a shell.
  ///
  /// The run stops at the first failure. Afterward, processes that the lines started are terminated.
  func run(
    _ lines: String, environment: [String: String] = [:], by launcher: [String] = []
  ) async throws -> Scenario.CommandResult {
    let whole = "set -e\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n" + lines + "\n"
    let name = scenario.folder.file("lines-\(UUID().uuidString)")
    try whole.write(toFile: name, atomically: true, encoding: .utf8)
    return try await scenario.command(
      launcher + ["/bin/sh", "-c", "cd \"$HOME\" && exec /bin/bash \(name)"],
      environment: variables.merging(environment) { $1 }, within: TestTimeout.long)
  }
}
