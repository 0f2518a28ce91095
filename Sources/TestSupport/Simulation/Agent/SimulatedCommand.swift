import Agent
import AppWire

/// A run of a `belfry` command, which connects, sends requests, and disconnects after the answer or earlier.
final class SimulatedCommand: SimulatedPeer {
  private unowned let world: AgentSimulation
  private var link: SimulatedAppLink?
  private var requests: ArraySlice<ControlRequest>
  private var nextNumber: Int64 = 2
  private let leavesEarly: Bool

  private init(in world: AgentSimulation, _ requests: [ControlRequest]) {
    self.world = world
    self.requests = requests[...]
    leavesEarly = world.isTroubled && world.chance(0.05)
  }

  /// Runs a command that sends requests in sequence.
  ///
  /// Has no effect while the agent is not running.
  static func run(_ requests: [ControlRequest], in world: AgentSimulation) {
    guard world.agent.isUp else { return }
    let command = SimulatedCommand(in: world, requests)
    let identity = ProcessIdentity(pid: world.takeProcessID(), uid: 7)
    guard let link = world.agent.connect(identity, command) else { return }
    command.link = link
    world.commands.append(command)
    link.send(AppRequest.hello(AppHello(role: .control, appID: nil)).frame.numbered(1))
  }

  func received(_ message: AppMessage) {
    switch message {
    case .answer, .refusal: isAnswered()
    case .request: world.fail("a command received an event")
    }
  }

  func wasCut() { end() }

  private func isAnswered() {
    guard let request = requests.popFirst() else { return leave() }
    let frame = AppRequest.control(request).frame.numbered(nextNumber)
    nextNumber += 1
    after(2) { [self] in link?.send(frame) }
    if leavesEarly { after(20) { [self] in leave() } }
  }

  private func leave() {
    after(2) { [self] in end() }
  }

  /// Handles the exit of the agent.
  func loseAgent() { link?.close() }

  private func end() {
    link?.close()
    world.commands.removeAll { $0 === self }
  }

  private func after(_ milliseconds: Int64, _ body: @escaping () -> Void) {
    world.time.after(world.milliseconds(milliseconds)) { [self] in
      if link?.isOpen == true { body() }
    }
  }
}
