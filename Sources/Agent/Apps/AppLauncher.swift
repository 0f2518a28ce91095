import BelfryWire
import Foundation
import Glibc
import System

/// A launcher of apps that are not running (linux-parts 4).
///
/// The launcher uses D-Bus if the app supports activation. Otherwise, it uses a unit of the user's systemd instance. If
/// systemd is not available either, the launcher starts the program in a new session.
final class AppLauncher {
  private let loop: EventLoop
  private let socketPath: String
  /// The session bus, while it is connected.
  var bus: BusConnection? {
    didSet {
      // Resume the units that the previous bus's service manager froze, because the manager on a new bus does not know
      // them.
      if oldValue != nil { suspensionGuard.wakeAll() }
      units = bus.map { UserUnits(bus: $0) }
    }
  }
  private var units: UserUnits?
  private let onFailure: (AppID, _ token: String, _ why: String) -> Void
  private let log: Log
  private var children: Set<pid_t> = []
  /// The running programs of each app; each program's process ID is also the ID of its process group.
  private var programs: [AppID: Set<pid_t>] = [:]
  /// The latest start of each app's program; an order with the same token joins this start.
  private var starts: [AppID: ProgramLaunch] = [:]
  /// A guard that resumes suspended processes when the agent exits.
  private let suspensionGuard = SuspensionGuard(
    environment: ProcessInfo.processInfo.environment)
  /// Watches that report when service extensions exit.
  private var endWatches: [ObjectIdentifier: ProcessEndWatch] = [:]

  /// Creates a launcher.
  ///
  /// If an app cannot be started, `onFailure` is called on the loop with the order's token and the reason.
  init(
    on loop: EventLoop, socketPath: String, log: Log,
    onFailure: @escaping (AppID, _ token: String, _ why: String) -> Void
  ) {
    self.loop = loop
    self.socketPath = socketPath
    self.log = log
    self.onFailure = onFailure
  }

  /// Starts the app, which sends the order's token in its greeting if it received the token in its environment.
  ///
  /// If an earlier order with the same token has started the app's program, no second program is started, unless the
  /// first one has exited.
  func launch(_ order: LaunchOrder) {
    reap()
    guard let installation = order.app.installation else {
      assertionFailure("the app to start is not installed")
      return onFailure(order.app.id, order.token, "the app is not installed")
    }
    if installation.isBusActivatable, let bus {
      activate(order, by: bus)
    } else {
      startProgram(order)
    }
  }

  /// Starts a service extension; returns false if that fails.
  ///
  /// The program is always started directly, because the agent must know immediately whether the extension is running.
  /// `onEnd` is called on the loop when the extension's process has exited.
  func start(_ order: ExtensionOrder, onEnd: @escaping () -> Void) -> Bool {
    reap()
    let variables = variables(order.app, order.token, nil)
    // If no descriptor is available for a watch, the agent waits until the extension's time runs out.
    let watch = try? ProcessEndWatch(on: loop) { [weak self] watch in
      self?.endWatches[ObjectIdentifier(watch)] = nil
      self?.reap()
      onEnd()
    }
    defer { watch?.release() }
    guard start(order.executable, [], variables, endHolder: watch?.programEnd) != nil else {
      watch?.close()
      return false
    }
    if let watch { endWatches[ObjectIdentifier(watch)] = watch }
    return true
  }

  /// Asks the processes that were started for an app to exit.
  func end(_ app: AppID) {
    reap()
    resume(app)
    if units?.end(app) == true { return }
    // Each program has its own session, so its child processes are terminated with it.
    for child in programs[app] ?? [] { end(child) }
  }

  /// Asks a program's process group to exit, and kills the group later if it has not exited.
  private func end(_ child: pid_t) {
    kill(-child, SIGTERM)
    loop.schedule(afterNanoseconds: Int64(Limits.endNanoseconds)) { [weak self] in
      self?.reap()
      // The process ID is not reused until the process is reaped.
      if self?.children.contains(child) == true { kill(-child, SIGKILL) }
    }
  }

  /// Kills the processes that were started for an app, which are suspended and must not run again.
  func killProcesses(of app: AppID) {
    reap()
    if let units, let unit = units.unit(of: app) {
      units.killProcesses(of: app)
      suspensionGuard.remove(unit)
    }
    // A process that is stopped by a signal does not need to be resumed to be killed.
    for child in programs[app] ?? [] {
      kill(-child, SIGKILL)
      suspensionGuard.remove(String(child))
    }
  }

  /// Suspends the processes that were started for an app, without terminating them.
  ///
  /// The agent cannot suspend an app that D-Bus started, because the app's process is not the agent's child.
  func suspend(_ app: AppID) {
    reap()
    if let units, let unit = units.unit(of: app) {
      if isGuarded(unit, app) { units.setSuspended(true, unit) }
      return
    }
    for child in programs[app] ?? [] where isGuarded(String(child), app) { kill(-child, SIGSTOP) }
  }

  private func isGuarded(_ name: String, _ app: AppID) -> Bool {
    guard !suspensionGuard.add(name) else { return true }
    log.warning(
      "not suspending an app: nothing would resume it if the agent exited", ["app": app.text])
    return false
  }

  /// Resumes the processes of an app.
  func resume(_ app: AppID) {
    if let units, let unit = units.unit(of: app) {
      units.setSuspended(false, unit)
      suspensionGuard.remove(unit)
    }
    for child in programs[app] ?? [] {
      kill(-child, SIGCONT)
      suspensionGuard.remove(String(child))
    }
  }

  /// Stops all watches and resumes suspended programs when the agent stops.
  ///
  /// Programs continue to run.
  func close() {
    for watch in endWatches.values { watch.close() }
    endWatches = [:]
    suspensionGuard.wakeAll()
  }

  /// Reaps started apps that have exited, so that no zombie processes remain.
  func reap() {
    for child in children where waitpid(child, nil, WNOHANG) != 0 {
      children.remove(child)
      suspensionGuard.remove(String(child))
      for (app, running) in programs where running.contains(child) {
        let others = running.subtracting([child])
        programs[app] = others.isEmpty ? nil : others
      }
    }
  }

  // MARK: - Launching through D-Bus

  private func activate(_ order: LaunchOrder, by bus: BusConnection) {
    let id = order.app.id.text
    let answered: BusConnection.Reply = { [weak self] result in
      // Do not restart an app that was started but does not answer.
      guard case .failure(let failure) = result, Self.hasNotStarted(failure) else { return }
      self?.log.warning(
        "D-Bus could not start an app: starting its program",
        ["app": id, "why": failure.description])
      self?.startProgram(order)
    }
    guard order.isForeground else {
      // Start the app without bringing it to the foreground: `Activate` would open its window.
      return bus.startService(id, answered)
    }
    callActivate(id, order.activationToken, by: bus, mayStart: true, answered)
  }

  /// Asks a running app to bring its window to the foreground, if the app has a name on the bus.
  ///
  /// An app without a name on the bus learns of the request only from the agent's message on its connection.
  func raise(_ app: AppID, activationToken: String?) {
    guard let bus else { return }
    callActivate(app.text, activationToken, by: bus, mayStart: false) { _ in }
  }

  private func callActivate(
    _ id: String, _ activationToken: String?, by bus: BusConnection, mayStart: Bool,
    _ answered: @escaping BusConnection.Reply
  ) {
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
      mayStart: mayStart, answered)
  }

  private static func hasNotStarted(_ failure: BusFailure) -> Bool {
    let prefix = "org.freedesktop.DBus.Error."
    return failure.name.hasPrefix(prefix + "Spawn.")
      || [prefix + "ServiceUnknown", prefix + "NameHasNoOwner"].contains(failure.name)
  }

  // MARK: - Launching the program

  /// A start of an app's program.
  private struct ProgramLaunch: Hashable {
    /// The place where the program runs.
    enum Place: Hashable {
      /// systemd has not answered the order yet.
      case undecided
      case child(pid_t)
      case unit(String)  // text: the agent chooses the unit's name
    }

    let token: String  // text: the agent issues the token
    let place: Place
  }

  private func startProgram(_ order: LaunchOrder) {
    guard let launch = starts[order.app.id], launch.token == order.token else {
      return runProgram(order)
    }
    switch launch.place {
    case .undecided: return
    case .child(let child):
      reap()
      if !children.contains(child) { restartProgram(order, instead: launch) }
    case .unit(let unit):
      units?.find(unit) { [weak self] isThere in
        if !isThere { self?.restartProgram(order, instead: launch) }
      }
    }
  }

  /// Starts an app's program again, unless another order has already done so.
  private func restartProgram(_ order: LaunchOrder, instead launch: ProgramLaunch) {
    guard starts[order.app.id] == launch else { return }
    log.info(
      "an app's program exited before it connected: starting it again",
      ["app": order.app.id.text])
    runProgram(order)
  }

  private func runProgram(_ order: LaunchOrder) {
    guard let installation = order.app.installation, let executable = installation.executable
    else {
      log.warning("the app has no program to start", ["app": order.app.id.text])
      return onFailure(order.app.id, order.token, "the app has no program to start")
    }
    // Check this first, because systemd reports a missing program only in its own log.
    if let problem = installation.programProblem {
      log.warning("cannot start an app's program", ["app": order.app.id.text, "why": problem])
      return onFailure(order.app.id, order.token, problem)
    }
    let variables = variables(order.app.id, order.token, order.activationToken)
    func onStarted(_ place: ProgramLaunch.Place) {
      starts[order.app.id] = ProgramLaunch(token: order.token, place: place)
    }
    func startChild() {
      guard let child = start(executable, installation.arguments, variables) else {
        starts[order.app.id] = nil
        return onFailure(
          order.app.id, order.token, "its program cannot be started: see the agent's log")
      }
      programs[order.app.id, default: []].insert(child)
      onStarted(.child(child))
    }
    guard let units else { return startChild() }
    let unit = UserUnits.Order(
      app: order.app.id, program: executable, arguments: installation.arguments,
      environment: variables)
    onStarted(.undecided)
    units.start(unit) { isStarted in
      guard isStarted, let name = units.unit(of: order.app.id) else { return startChild() }
      onStarted(.unit(name))
    }
  }

  /// Returns the environment variables that tell a program about the agent and the reason for the launch.
  private func variables(_ app: AppID, _ token: String, _ activationToken: String?)
    -> [String: String]
  {
    var variables = [
      "BELFRY_SOCKET": socketPath, "BELFRY_LAUNCH": token, "BELFRY_APP_ID": app.text,
    ]
    variables["XDG_ACTIVATION_TOKEN"] = activationToken
    variables["DESKTOP_STARTUP_ID"] = activationToken
    return variables
  }

  private func start(
    _ executable: String, _ arguments: [String], _ variables: [String: String],
    endHolder: Int32? = nil
  ) -> pid_t? {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_ACTIVATION_TOKEN"] = nil
    environment["DESKTOP_STARTUP_ID"] = nil
    environment.merge(variables) { $1 }
    do {
      let child = try ProgramStart.start(
        executable, arguments, environment: environment, endHolder: endHolder)
      children.insert(child)
      return child
    } catch {
      log.warning(
        "cannot start an app's program",
        ["app": variables["BELFRY_APP_ID"] ?? "", "why": "\(error)"])
      return nil
    }
  }
}
