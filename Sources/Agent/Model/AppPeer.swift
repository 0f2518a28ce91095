import BelfryWire

/// One connection of an app or of a command, after its greeting.
struct AppPeer: Hashable, Sendable {
  let connection: ConnectionID
  let role: AppHello.Role
  /// nil for a command.
  let app: AppID?
  /// The process at the other end.
  let process: Int32
  /// What it may do as a command.
  let rights: Set<ControlRight>
  var state: AppState
  /// Whether its window is in front; nil if none of its windows ever was.
  var isLookedAt: Bool?
  /// Whether this agent started the process behind, and it has been there since.
  var isStartedBehind = false
  /// The order of connection: the latest is asked first.
  let order: UInt64
  var nextNumber: Int64 = 1

  /// Returns a question with a number that this connection has not had.
  mutating func makeQuestion() -> Question {
    defer { nextNumber += 1 }
    return Question(connection: connection, number: nextNumber)
  }
}

/// What the machine knows of a process that connected (linux-parts 13).
struct ProcessIdentity: Hashable, Sendable {
  /// Why a process could not be looked at.
  enum Obstacle: Hashable, Sendable {
    /// It ended before it was looked at, or its number may be another's by now.
    case ended
    /// What it is may not be read: `what` names the file.
    case unreadable(what: String)
    /// Its sandbox says that it is Flatpak's, and Flatpak does not know it.
    case unknownSandbox
  }

  var pid: Int32
  var uid: UInt32
  /// Why nothing more is known of it; nil where it was looked at.
  var obstacle: Obstacle?
  /// Whether it lives in a sandbox of any kind: other namespaces than the agent's, another root,
  /// more filters of system calls, a confining label.
  var isSandboxed = false
  /// An id that a sandbox vouches for.
  var sandboxedApp: String?
  /// An id from the process's systemd unit.
  var unitApp: String?
  /// The program, absolute; nil where that path is not the same file for the agent.
  var executable: String?
  /// The `.app` folder that holds the program.
  var bundlePath: String?
  /// The id that the `.app` folder's manifest names.
  var bundleApp: String?
}
