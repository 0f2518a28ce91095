/// What one end of a simulated connection hears.
protocol SimulatedEnd: AnyObject {
  func received(_ bytes: [UInt8], on connection: SimulatedConnection)
  func closed(_ connection: SimulatedConnection)
}

/// A connection between a device and a gateway: bytes arrive late, in pieces, in order, or not at all.
final class SimulatedConnection {
  enum Side: Int {
    case device = 0
    case gateway = 1
  }

  let number: Int
  private unowned let world: DeliverySimulation
  private weak var device: (any SimulatedEnd)?
  private weak var gateway: (any SimulatedEnd)?
  private let latency: Int64
  /// When the last piece sent by each side arrives: nothing overtakes it.
  private var arrival: [Int64] = [0, 0]
  private var isOpen = [true, true]
  /// What is sent vanishes, and nobody is told.
  private(set) var isDark = false
  private var isCut = false

  init(
    number: Int, in world: DeliverySimulation, device: any SimulatedEnd, gateway: any SimulatedEnd
  ) {
    self.number = number
    self.world = world
    self.device = device
    self.gateway = gateway
    latency = world.random(200_000...world.profile.latencyMost)
  }

  private func end(_ side: Side) -> (any SimulatedEnd)? { side == .device ? device : gateway }
  private func other(_ side: Side) -> Side { side == .device ? .gateway : .device }

  func send(_ bytes: [UInt8], from side: Side) {
    guard isOpen[side.rawValue] else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = world.chance(0.2) ? world.random(1...rest.count) : rest.count
      let piece = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      carry(from: side) { connection, end in end.received(piece, on: connection) }
    }
  }

  /// This side ends the connection; what it sent before still arrives.
  func close(from side: Side) {
    guard isOpen[side.rawValue] else { return }
    isOpen[side.rawValue] = false
    let to = other(side)
    carry(from: side) { connection, end in
      guard connection.isOpen[to.rawValue] else { return }
      connection.isOpen[to.rawValue] = false
      end.closed(connection)
    }
  }

  /// Both ends lose the connection, each at its own time; what is on its way is lost.
  func cut() {
    guard !isCut else { return }
    isCut = true
    for side in [Side.device, .gateway] {
      world.time.after(world.random(0...2_000_000_000)) { [weak self] in self?.lose(side) }
    }
  }

  /// This side's process is gone: it hears nothing more, the other loses the connection soon.
  func abandon(from side: Side) {
    isOpen[side.rawValue] = false
    guard !isDark else { return }
    isCut = true
    let to = other(side)
    world.time.after(world.random(0...500_000_000)) { [weak self] in self?.lose(to) }
  }

  func goDark() { isDark = true }

  private func lose(_ side: Side) {
    guard isOpen[side.rawValue] else { return }
    isOpen[side.rawValue] = false
    end(side)?.closed(self)
  }

  private func carry(
    from side: Side, _ body: @escaping (SimulatedConnection, any SimulatedEnd) -> Void
  ) {
    let at = max(arrival[side.rawValue], world.time.now + latency + world.random(0...latency))
    arrival[side.rawValue] = at
    let to = other(side)
    world.time.at(at) { [self] in
      guard !isDark, !isCut, isOpen[to.rawValue], let end = end(to) else { return }
      body(self, end)
    }
  }
}
