import AppWire

/// One connection of an app or of a command, after its greeting.
struct AppPeer: Hashable, Sendable {
  let connection: ConnectionID
  let role: AppHello.Role
  /// The app; nil for a command.
  let app: AppID?
  /// The process ID at the other end.
  let process: Int32
  /// The rights of the process as a command.
  let rights: Set<ControlRight>
  var state: AppState
  /// True if a window of the process has the focus; nil if none of its windows ever had the focus.
  var isLookedAt: Bool?
  /// True if this agent started the process in the background and the process has stayed there since.
  var isStartedBehind = false
  /// The connection's number in order of establishment; the latest connection is asked first.
  let order: UInt64
  var nextNumber: Int64 = 1

  /// Returns a question with a number that this connection has not used before.
  mutating func makeQuestion() -> Question {
    defer { nextNumber += 1 }
    return Question(connection: connection, number: nextNumber)
  }
}

/// The properties of a connected process that the machine can verify (linux-parts 13).
package struct ProcessIdentity: Hashable, Sendable {
  /// The reason that a process could not be inspected.
  package enum Obstacle: Hashable, Sendable {
    /// The process exited before it was inspected, or its process ID might already belong to another process.
    case ended
    /// The identity of the process cannot be read; `what` identifies the file and the reason.
    case unreadable(what: String)
    /// The sandbox of the process claims to be Flatpak's, but Flatpak does not know the sandbox.
    case unknownSandbox
  }

  package var pid: Int32
  package var uid: UInt32
  /// The reason that nothing more is known about the process; nil if the process was inspected.
  var obstacle: Obstacle?
  /// True if the process runs in a sandbox of any kind: namespaces other than the agent's, another root, more system
  /// call filters, or a confining label.
  var isSandboxed = false
  /// The app ID that a sandbox guarantees.
  var sandboxedApp: String?
  /// The app ID from the process's systemd unit.
  var unitApp: String?
  /// The absolute path of the program; nil if that path refers to a different file for the agent.
  package var executable: String?
  /// The `.app` folder that contains the program.
  var bundlePath: String?
  /// The app ID in the manifest of the `.app` folder.
  var bundleApp: String?

  package init(
    pid: Int32, uid: UInt32, obstacle: Obstacle? = nil, isSandboxed: Bool = false,
    sandboxedApp: String? = nil, unitApp: String? = nil, executable: String? = nil,
    bundlePath: String? = nil, bundleApp: String? = nil
  ) {
    self.pid = pid
    self.uid = uid
    self.obstacle = obstacle
    self.isSandboxed = isSandboxed
    self.sandboxedApp = sandboxedApp
    self.unitApp = unitApp
    self.executable = executable
    self.bundlePath = bundlePath
    self.bundleApp = bundleApp
  }
}
