import BelfryWire

/// One connection of an app or of a command, after its greeting.
struct AppPeer: Hashable, Sendable {
  let connection: ConnectionID
  let role: AppHello.Role
  /// nil for a command.
  let app: AppID?
  /// The process at the other end.
  let process: Int32
  var state: AppState
  /// Whether its window is in front; nil while none of it ever was.
  var isLookedAt: Bool?
  /// Whether this agent started the process behind, and it has been there since.
  var isStartedBehind = false
  /// Order of arrival: the latest one is asked first.
  let order: UInt64
  var nextNumber: Int64 = 1

  /// A question with a number that this connection has not had.
  mutating func makeQuestion() -> Question {
    defer { nextNumber += 1 }
    return Question(connection: connection, number: nextNumber)
  }
}

/// What the machine knows of a process that connected (linux-parts 13).
struct ProcessIdentity: Hashable, Sendable {
  var pid: Int32
  var uid: UInt32
  /// An id that a sandbox vouches for.
  var sandboxedApp: String?
  /// An id from the process's systemd unit.
  var unitApp: String?
  /// The program, absolute.
  var executable: String?
  /// The `.app` folder that holds the program.
  var bundlePath: String?
  /// The id that the `.app` folder's manifest names.
  var bundleApp: String?
}
