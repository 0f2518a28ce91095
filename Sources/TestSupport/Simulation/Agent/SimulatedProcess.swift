import Agent
import AppWire

/// A process of an app or of one of its extensions, with its connection to the agent.
final class SimulatedProcess: SimulatedPeer {
  private var link: SimulatedAppLink?
  /// The number of the connection; nil before the agent has read the greeting.
  var connection: ConnectionID? { link?.connection }
  private let role: AppHello.Role
  private(set) var wasLaunched = false
  private(set) var isConnected = true
  private unowned let world: AgentSimulation
  private unowned let app: SimulatedApp
  private var nextNumber: Int64 = 2
  private var isForeground = false
  /// The arrival time of the last message; messages are never reordered.
  private var lastArrival: Int64 = 0
  /// The actions to perform when the process is resumed; nil while the process runs.
  private var postponed: [() -> Void]?

  init(of app: SimulatedApp, role: AppHello.Role, in world: AgentSimulation) {
    self.app = app
    self.world = world
    self.role = role
  }

  // MARK: Life of the process

  func greet(launch: String?, isForeground: Bool) {
    wasLaunched = launch != nil
    self.isForeground = isForeground
    var hello = AppHello(
      role: role, appID: app.id.text,
      isDevelopment: !app.isInstalled || world.chance(0.5),
      state: isForeground ? .foreground : .background)
    hello.launch = launch
    hello.locationUsage = isExtension ? nil : "to remind you"
    if world.isTroubled, world.chance(0.02) { hello.version = 9 }
    link = world.agent.connect(app.identity(of: role), self)
    say(AppRequest.hello(hello).frame.numbered(1))
  }

  func freeze() {
    postponed = postponed ?? []
    link?.isReading = false
  }

  func thaw() {
    let bodies = postponed ?? []
    postponed = nil
    for body in bodies where isConnected { whileRunning(body) }
    link?.isReading = true
    link?.read()
  }

  /// Runs `body` now or, if the process is suspended, when it is resumed.
  private func whileRunning(_ body: @escaping () -> Void) {
    if postponed == nil { body() } else { postponed?.append(body) }
  }

  var isExtension: Bool { role != .app }

  /// Exits the process.
  func disconnect() {
    guard isConnected else { return }
    isConnected = false
    link?.close()
  }

  /// Handles the exit of the agent.
  func loseAgent() {
    isConnected = false
    link?.close()
  }

  func wasCut() {
    isConnected = false
    app.crash(self)
  }

  func received(_ message: AppMessage) {
    switch message {
    case .answer(let number, let frame): isAnswered(number, .success(AppAnswer(frame)))
    case .refusal(let number, let failure): isAnswered(number, .failure(failure))
    case .request(let type, let number, let frame):
      guard let event = try? AppEvent(type: type, frame) else {
        return world.fail("\(app.id) cannot decode an event of type \(type)")
      }
      if let number { isAsked(number, event) } else { isTold(event) }
    }
  }

  func goToBackground() {
    if isForeground, !isExtension { ask(.setState(.background)) }
    isForeground = false
  }

  private func say(_ frame: AppFrame, afterMilliseconds milliseconds: Int64 = 3) {
    lastArrival = max(lastArrival, world.time.now + world.milliseconds(milliseconds))
    world.time.at(lastArrival) { [self] in if isConnected { link?.send(frame) } }
  }

  private func later(_ milliseconds: Int64, _ body: @escaping () -> Void) {
    world.time.after(milliseconds * 1_000_000) { [self] in
      whileRunning { [self] in if isConnected { body() } }
    }
  }

  // MARK: Requests

  func ask(_ request: AppRequest) {
    let number: Int64? = world.isTroubled && world.chance(0.02) ? nil : nextNumber
    nextNumber += 1
    say(number.map(request.frame.numbered) ?? request.frame)
  }

  private func isAnswered(_ number: Int64, _ result: Result<AppAnswer, AppLinkFailure>) {
    if case .success(let answer) = result, let task = answer.task, world.chance(0.7) {
      later(world.random(Int64(1)...40_000)) { [self] in ask(.endBackgroundTask(task)) }
    }
    whileRunning { [self] in onAnswer(number, result) }
  }

  private func onAnswer(_ number: Int64, _ result: Result<AppAnswer, AppLinkFailure>) {
    guard number == 1, case .success = result, !isExtension else { return }
    // Apps with an older interface do not need to request permission.
    if app.generation == .userNotification || world.chance(0.2) {
      ask(.requestAuthorization(SimulatedRequests.options(in: world)))
    }
    ask(.register(.alert))
    if world.chance(0.7) { ask(.setCategories(SimulatedRequests.categories)) }
    if world.chance(0.3) { ask(.register(.voip)) }
    askOn()
  }

  private func askOn() {
    world.time.after(world.random(0...2 * world.profile.askEvery)) { [self] in
      whileRunning { [self] in
        guard isConnected, world.isTroubled else { return }
        let request = SimulatedRequests.any(of: app, in: world)
        if case .setState(let state) = request { isForeground = state == .foreground }
        ask(request)
        askOn()
      }
    }
  }

  // MARK: Questions

  private func isTold(_ event: AppEvent) { whileRunning { [self] in onTold(event) } }

  private func onTold(_ event: AppEvent) {
    if case .state(let state) = event, world.chance(0.8) {
      isForeground = state == .foreground
      ask(.setState(state))
    }
    if case .extensionTimeEnds = event, world.chance(0.5) { app.crash(self) }
    if case .showContent(let notification) = event, world.chance(0.9) { draw(notification) }
  }

  /// Simulates a content extension that shows its notification with text, an image of its own, and attachments.
  private func draw(_ notification: DeliveredNotification) {
    var drawing = NotificationDrawing(items: [.text(notification.request.content.body.text)])
    if world.chance(0.5) {
      drawing.items.append(.picture(path: "/data/\(app.id)/drawn-\(world.takeSerial())"))
    }
    drawing.items += notification.request.content.attachments.map { .picture(path: $0.path) }
    ask(.setDrawing(drawing))
    guard world.chance(0.2) else { return }
    later(world.random(Int64(100)...5_000)) { [self] in
      ask(world.chance(0.5) ? .contentWish(.open) : .contentWish(.close))
    }
  }

  private func isAsked(_ question: Int64, _ event: AppEvent) {
    whileRunning { [self] in onQuestion(question, event) }
  }

  private func onQuestion(_ question: Int64, _ event: AppEvent) {
    guard isConnected else { return }
    if case .contentAction = event, world.isTroubled, world.chance(0.3) {
      // Lock the screen. The agent must then wait for the screen to be unlocked before it carries out the extension's
      // decision.
      later(0) { [self] in world.agent.report(.conditionChanged(.sessionLocked(true))) }
    }
    if !world.isTroubled || world.chance(world.profile.goodAnswers) {
      return reply(question, Self.reply(to: event, in: world), afterMilliseconds: 30)
    }
    switch world.random(0...4) {
    case 0: break
    case 1:
      later(world.random(Int64(1_000)...40_000)) { [self] in
        reply(question, Self.reply(to: event, in: world), afterMilliseconds: 1)
      }
    case 2:
      reply(
        question, world.pick([.handled, .present([.banner]), .fetched(.noData)]),
        afterMilliseconds: 50)
    case 3:
      reply(question, Self.reply(to: event, in: world), afterMilliseconds: 5)
      reply(question, Self.reply(to: event, in: world), afterMilliseconds: 500)
      reply(question + world.random(Int64(1)...3), .handled, afterMilliseconds: 50)
    default: later(world.random(Int64(0)...3_000)) { [self] in app.crash(self) }
    }
  }

  private func reply(_ question: Int64, _ reply: AppReply, afterMilliseconds most: Int64) {
    say(reply.frame.answering(question), afterMilliseconds: most)
  }

  private static func reply(to event: AppEvent, in world: AgentSimulation) -> AppReply {
    switch event {
    case .willPresent:
      return .present(
        world.pick([[.banner, .list, .sound, .badge], [.alert], [.list], [.sound], []]))
    case .arrived, .task: return .fetched(world.pick([.newData, .noData, .failed]))
    case .extend(let request, _):
      var content = request.content
      content.body = NotificationText(content.body.text + " changed")
      return .content(world.chance(0.9) ? content : NotificationContent())
    case .contentAction: return .contentOption(world.pick(ContentExtensionOption.allCases))
    default: return .handled
    }
  }
}
