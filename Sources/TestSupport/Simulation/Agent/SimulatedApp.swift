import Agent
import AppWire

/// An app on the device, with its installation and its processes over time.
final class SimulatedApp {
  let id: AppID
  let isInstalled: Bool
  /// The interface that the app uses for most of its notifications.
  let generation: NotificationGeneration
  private unowned let world: AgentSimulation
  private var processes: [SimulatedProcess] = []
  private let isServiceExtended: Bool
  /// The categories that the app's content extension shows; empty if there is no extension.
  private let contentCategories: [String]
  private let backgroundModes: [String]

  init(number: Int, in world: AgentSimulation) {
    guard let id = world.appID(number) else { preconditionFailure("invalid app ID") }
    self.id = id
    self.world = world
    isInstalled = world.chance(0.7)
    isServiceExtended = world.chance(0.7)
    contentCategories = world.pick([[], ["K1"], ["K1", "K2"]])
    generation = world.pick([
      .userNotification, .userNotification, .userNotification, .local, .desktop,
    ])
    backgroundModes = world.pick([
      ["remote-notification", "fetch", "processing"], ["remote-notification"],
      ["remote-notification", "audio"], ["fetch"], [],
    ])
  }

  /// The path from which a command installs the app.
  var path: String { "/apps/\(id)" }

  /// The app record that the agent reads from the app's files.
  var installation: LocalApp {
    var record = LocalApp(id: id)
    var installation = LocalApp.Installation()
    installation.executable = "/opt/\(id)"
    installation.serviceExtension = isServiceExtended ? "/opt/\(id)-extension" : nil
    if !contentCategories.isEmpty {
      installation.contentExtensions = [
        ContentExtension(executable: "/opt/\(id)-content", categories: contentCategories)
      ]
    }
    record.installation = installation
    record.locationUsage = "to remind you"
    record.backgroundModes = backgroundModes
    return record
  }

  func process(_ connection: ConnectionID) -> SimulatedProcess? {
    processes.first { $0.connection == connection }
  }

  func plan() {
    world.plan(every: world.profile.appStartEvery) { [self] in
      if processes.count < 2 { start(launch: nil, isForeground: world.chance(0.6)) }
    }
    world.plan(every: world.profile.appCrashEvery) { [self] in
      if !processes.isEmpty { crash(world.pick(processes)) }
    }
  }

  /// Makes the app run and answer every question until the simulation ends.
  func calmDown() {
    for process in processes { crash(process) }
    start(launch: nil, isForeground: true)
    world.time.after(600_000_000_000) { [self] in
      for process in processes { process.goToBackground() }
    }
  }

  // MARK: The agent

  func agentStarted() {
    guard world.isTroubled || processes.isEmpty else { return }
    if world.chance(0.6) { start(launch: nil, isForeground: world.chance(0.6)) }
  }

  func agentCrashed() {
    for process in processes { process.loseAgent() }
    processes = []
  }

  /// Handles a launch by the agent.
  ///
  /// The app starts immediately, late, or never.
  func isLaunched(_ order: LaunchOrder) {
    // The process that the first order started also receives the work of this order.
    guard !order.isJoined else { return }
    let chance = world.isTroubled ? world.random(0...9) : 0
    switch chance {
    case 0...6:
      let late = world.isTroubled && world.chance(0.1)
      world.time.after(world.milliseconds(late ? 60_000 : 500)) { [self] in
        start(launch: order.token, isForeground: order.isForeground)
      }
    case 7, 8: break
    default:
      let (id, token) = (id, order.token)
      world.time.after(world.milliseconds(20)) { [self] in
        world.agent.report(.appLaunchFailed(id, token: token))
      }
    }
  }

  /// Handles the expiration of the app's background time.
  func isEnded() {
    for process in processes where process.wasLaunched { crash(process) }
  }

  /// Handles the killing of the suspended app, whose extensions continue to run.
  func isKilled() {
    for process in processes where process.wasLaunched && !process.isExtension { crash(process) }
  }

  /// Returns true if any of these connections belongs to the app.
  func isInFront(_ connections: Set<ConnectionID>) -> Bool {
    connections.contains { process($0)?.isExtension == false }
  }

  /// Suspends the app's processes without terminating them.
  func isSuspended() {
    for process in processes where process.wasLaunched && !process.isExtension { process.freeze() }
  }

  func isResumed() {
    for process in processes { process.thaw() }
  }

  func startExtension(_ order: ExtensionOrder) {
    world.time.after(world.milliseconds(world.isTroubled && world.chance(0.2) ? 40_000 : 200)) {
      [self] in
      // The process can fail to start, or be reported as exited immediately or while it works.
      if !world.isTroubled || world.chance(0.8) {
        start(
          role: order.executable.hasSuffix("-content") ? .contentExtension : .serviceExtension,
          launch: order.token, isForeground: false)
      }
      guard world.isTroubled, world.chance(0.3) else { return }
      world.agent.report(
        world.chance(0.2)
          ? .extensionFailed(token: order.token) : .extensionEnded(token: order.token))
    }
  }

  // MARK: Processes

  func start(launch: String?, isForeground: Bool) {
    start(role: .app, launch: launch, isForeground: isForeground)
  }

  private func start(role: AppHello.Role, launch: String?, isForeground: Bool) {
    guard world.agent.isUp else { return }
    let process = SimulatedProcess(of: self, role: role, in: world)
    processes.append(process)
    process.greet(launch: launch, isForeground: isForeground)
  }

  func crash(_ process: SimulatedProcess) {
    guard let index = processes.firstIndex(where: { $0 === process }) else { return }
    processes.remove(at: index)
    process.disconnect()
  }

  /// Returns the identity of the running program as determined by the machine.
  func identity(of role: AppHello.Role) -> ProcessIdentity {
    var identity = ProcessIdentity(pid: world.takeProcessID(), uid: 7)
    // A command can also install the app, in which case the app runs from the installed path.
    guard isInstalled || world.ledger.apps[id]?.installation != nil else { return identity }
    identity.executable =
      switch role {
      case .serviceExtension: "/opt/\(id)-extension"
      case .contentExtension: "/opt/\(id)-content"
      case .app, .control: "/opt/\(id)"
      }
    return identity
  }
}
