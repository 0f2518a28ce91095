@testable import Agent
import BelfryWire

/// A run of a `belfry` command, which connects, sends requests, and disconnects after the answer or earlier.
final class SimulatedCommand {
  private unowned let world: AgentSimulation
  private let connection: ConnectionID
  private var requests: ArraySlice<ControlRequest>
  private var nextNumber: Int64 = 2
  private let leavesEarly: Bool

  private init(in world: AgentSimulation, _ requests: [ControlRequest]) {
    self.world = world
    self.requests = requests[...]
    connection = world.openConnection()
    leavesEarly = world.isTroubled && world.chance(0.05)
  }

  /// Runs a command that sends requests in sequence.
  ///
  /// Has no effect while the agent is not running.
  static func run(_ requests: [ControlRequest], in world: AgentSimulation) {
    guard world.agent.isUp else { return }
    let command = SimulatedCommand(in: world, requests)
    world.commands[command.connection] = command
    world.agent.report(
      .appGreeted(
        RequestID(connection: command.connection, number: 1), AppHello(role: .control, appID: nil),
        ProcessIdentity(pid: 2, uid: 7)))
  }

  func isAnswered(_ number: Int64) {
    guard let request = requests.popFirst() else { return leave() }
    let ask = RequestID(connection: connection, number: nextNumber)
    nextNumber += 1
    after(2) { [self] in world.agent.report(.appRequested(ask, .control(request))) }
    if leavesEarly { after(20) { [self] in leave() } }
  }

  private func leave() {
    after(2) { [self] in
      guard world.commands.removeValue(forKey: connection) != nil else { return }
      world.agent.report(.appDisconnected(connection))
    }
  }

  private func after(_ milliseconds: Int64, _ body: @escaping () -> Void) {
    world.time.after(world.milliseconds(milliseconds)) { [self] in
      if world.commands[connection] === self { body() }
    }
  }
}
