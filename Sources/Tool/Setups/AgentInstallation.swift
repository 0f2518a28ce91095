import BelfryWire
import Foundation
import Glibc
import System

/// `belfry agent --install`: makes the agent start automatically with the given options.
///
/// If systemd is running, the agent is installed as a systemd user unit; otherwise, as a program that the desktop
/// starts at login.
struct AgentInstallation {
  /// The reason that the agent can't be installed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let unitName = "belfry-agent.service"

  private let unitFile: String
  private let autostartFile: String

  init() throws(Failure) {
    let given = StateFolders.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let folder = given ?? StateFolders.variable("HOME").map({ $0 + "/.config" }) else {
      throw Failure(description: "HOME is not set: set it to your home folder")
    }
    unitFile = "\(folder)/systemd/user/\(Self.unitName)"
    autostartFile = "\(folder)/autostart/belfry-agent.desktop"
  }

  /// Installs `belfry agent` with these arguments and, if systemd is available, starts it.
  ///
  /// `isRunning` returns true if an agent already answers.
  func install(_ arguments: [String], isRunning: () -> Bool) throws {
    let words = [ProgramSupervisor.path, "agent"] + arguments
    guard Self.hasUserSystemd else {
      try write(Self.autostartEntry(words), to: autostartFile)
      Output.line(autostartFile)
      Output.error(
        "systemd is not running for this user, so the installed agent starts at the next login",
        do: isRunning()
          ? "until then, the agent that is already running continues"
          : "to start it now, run '\(ShellWords.line(["belfry", "agent"] + arguments))'")
      return
    }
    // Keep only one of the two files, so that two agents never run at the same time.
    try FileSystem.remove(autostartFile)
    try write(Self.unit(words), to: unitFile)
    try Self.systemctl("daemon-reload")
    try Self.systemctl("enable", Self.unitName)
    // Restart the agent in case it is already running with other options.
    try Self.systemctl("restart", Self.unitName)
    Output.line(unitFile)
  }

  /// Stops the agent that systemd has started, and removes the files that start the agent.
  ///
  /// `stopAdvice` returns the way to stop an agent that still answers; nil if no agent answers. It is called only
  /// without systemd, which might start an agent to answer.
  func uninstall(_ stopAdvice: () -> String?) throws {
    let files = [unitFile, autostartFile].filter(FileSystem.exists)
    let hasSystemd = Self.hasUserSystemd
    if FileSystem.exists(unitFile) {
      if hasSystemd { try Self.systemctl("disable", "--now", Self.unitName) }
      try FileSystem.remove(unitFile)
      if hasSystemd { try Self.systemctl("daemon-reload") }
    }
    try FileSystem.remove(autostartFile)
    for file in files { Output.line("removed \(file)") }
    if files.isEmpty { Output.error("the agent is not installed", do: "nothing was changed") }
    if !hasSystemd, let advice = stopAdvice() {
      Output.error("an agent is still running", do: advice)
    }
  }

  /// Returns the way to stop the agent with these findings, which contain the ID of the agent's process.
  static func stopAdvice(_ findings: [JSONObject]) -> String {
    let detail = findings.first { $0["feature"] == "agent" }?["detail"]?.stringValue ?? ""
    let words = detail.split(separator: " ").prefix(2)
    guard words.first == "process", let pid = words.last.flatMap({ Int32($0.filter(\.isNumber)) })
    else { return "to stop it, send SIGTERM to its process, or log out" }
    return "stop it with 'kill \(pid)', or log out"
  }

  private func write(_ text: String, to file: String) throws(SystemFailure) {
    try FileSystem.makeDirectories(FileSystem.parent(of: file))
    try FileSystem.write(Array(text.utf8), to: file, mode: 0o600)
  }

  // MARK: - The files

  static func unit(_ words: [String]) -> String {
    """
    [Unit]
    Description=Notifications of the user's apps (belfry agent)
    Documentation=man:belfry-agent(1)

    [Service]
    ExecStart=\(words.map(unitWord).joined(separator: " "))
    Restart=on-failure

    [Install]
    WantedBy=default.target

    """
  }

  /// Quotes a word for ExecStart (systemd.service(5), "Command lines").
  private static func unitWord(_ word: String) -> String {
    var text = "\""
    for character in word {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "%": text += "%%"
      case "$": text += "$$"
      default: text.append(character)
      }
    }
    return text + "\""
  }

  static func autostartEntry(_ words: [String]) -> String {
    """
    [Desktop Entry]
    Type=Application
    Name=Belfry
    Comment=Notifications of your apps
    Exec=\(words.map(entryWord).joined(separator: " "))
    NoDisplay=true
    X-GNOME-Autostart-enabled=true

    """
  }

  /// Quotes a word for Exec according to "The Exec key" in the Desktop Entry Specification.
  ///
  /// As in all strings in a desktop file, backslashes are doubled.
  private static func entryWord(_ word: String) -> String {
    var text = "\""
    for character in word {
      switch character {
      case "\"", "`", "$": text += "\\\\\(character)"
      case "\\": text += "\\\\\\\\"
      case "%": text += "%%"
      default: text.append(character)
      }
    }
    return text + "\""
  }

  // MARK: - systemd

  /// True if a systemd user manager responds.
  private static var hasUserSystemd: Bool {
    (try? run(["show-environment"], isQuiet: true)) == 0
  }

  private static func systemctl(_ words: String...) throws {
    let status = try run(words, isQuiet: false)
    guard status == 0 else {
      throw Failure(
        description:
          "'systemctl --user \(words.joined(separator: " "))' exited with status \(status): see "
          + "'systemctl --user status \(unitName)'")
    }
  }

  private static func run(_ words: [String], isQuiet: Bool) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["systemctl", "--user"] + words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    if isQuiet { process.standardError = FileHandle.nullDevice }
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
