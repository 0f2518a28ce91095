import Foundation
import Glibc
import System

/// Starts apps that are not running (linux-parts 4): by D-Bus where the app can be activated so,
/// else its program in a session of its own.
final class AppLauncher {
  private let socketPath: String
  /// The session bus, while there is one.
  var bus: BusConnection?
  private let log: Log
  private var children: Set<pid_t> = []

  init(socketPath: String, log: Log) {
    self.socketPath = socketPath
    self.log = log
  }

  /// Starts the app; it greets with the order's token where it can.
  func launch(_ order: LaunchOrder, activationToken: String?) {
    reap()
    guard let installation = order.app.installation else { return }
    if installation.isBusActivatable, let bus {
      activate(order, activationToken, by: bus)
    } else if let executable = installation.executable {
      start(
        executable, installation.arguments, app: order.app.id, token: order.token,
        activationToken: activationToken)
    } else {
      log.warning("the app has no program that could be started", ["app": order.app.id.text])
    }
  }

  /// Notes which started apps have ended, so that no dead process is left behind.
  func reap() {
    for child in children where waitpid(child, nil, WNOHANG) != 0 { children.remove(child) }
  }

  private func activate(_ order: LaunchOrder, _ activationToken: String?, by bus: BusConnection) {
    let id = order.app.id.text
    var platformData: [(String, BusValue)] = []
    if let activationToken {
      platformData = [
        ("activation-token", .string(activationToken)),
        ("desktop-startup-id", .string(activationToken)),
      ]
    }
    let path =
      "/"
      + id.replacingOccurrences(of: ".", with: "/")
      .replacingOccurrences(of: "-", with: "_")
    bus.call(
      id, path, "org.freedesktop.Application", "Activate", [.vardict(platformData)],
      mayStart: true
    ) { [weak self] result in
      guard case .failure(let failure) = result else { return }
      self?.log.warning(
        "D-Bus could not start an app", ["app": id, "why": failure.description])
    }
  }

  /// Starts a service extension; false when that cannot be done.
  func start(_ order: ExtensionOrder) -> Bool {
    reap()
    return start(
      order.executable, [], app: order.key.app, token: order.token, activationToken: nil)
  }

  @discardableResult
  private func start(
    _ executable: String, _ arguments: [String], app: AppID, token: String,
    activationToken: String?
  ) -> Bool {
    var environment = ProcessInfo.processInfo.environment
    environment["BELFRY_SOCKET"] = socketPath
    environment["BELFRY_LAUNCH"] = token
    environment["BELFRY_APP_ID"] = app.text
    environment["XDG_ACTIVATION_TOKEN"] = activationToken
    environment["DESKTOP_STARTUP_ID"] = activationToken
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The agent keeps signals blocked and SIGPIPE ignored for itself; an app starts afresh.
    var noSignals = sigset_t()
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    var allSignals = sigset_t()
    unsafe sigfillset(&allSignals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &allSignals)
    // glibc's POSIX_SPAWN_SETSID, which its headers show only to GNU sources.
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | newSession)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The agent's own answers go to stdout: an app must not write among them.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
    var child = pid_t()
    let result = unsafe Self.withCStrings([executable] + arguments) { words in
      unsafe Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        unsafe posix_spawn(&child, executable, &actions, &attributes, words, variables)
      }
    }
    guard result == 0 else {
      log.warning(
        "an app could not be started",
        ["app": app.text, "why": SystemFailure.message(result)])
      return false
    }
    children.insert(child)
    return true
  }

  /// Calls `body` with a null-terminated array of C strings.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = unsafe strings.map { unsafe strdup($0) }
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(pointers + [nil])
  }
}
