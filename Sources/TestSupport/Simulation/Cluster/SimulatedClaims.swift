import PushWire
import Storage

/// The claims of one process, with the semantics of `PostgresClaims` and of the function `belfry_claim`.
final class SimulatedClaims: DeviceClaims, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let session: SimulatedSession
  private let server: SimulatedServer
  /// The claims that this process holds, by device.
  private var claims = HeldClaims()

  init(in session: SimulatedSession) {
    self.session = session
    server = SimulatedServer("claims", in: session)
  }

  private var database: SimulatedDatabase { session.database }
  private var own: NodeNumber { session.number }

  func claim(_ requests: [DeviceClaimRequest]) throws(StorageFailure) -> [DeviceClaimResult] {
    assert(
      Set(requests.map(\.device)).count == requests.count, "a device appears at most once")
    let session = session
    let answers = try server.write("a claim of \(requests.map(\.device))") {
      () throws(StorageFailure) in
      try session.fence()
      var answers: [(result: DeviceClaimResult, number: Int64?)] = []
      for request in requests { answers.append(try Self.perform(request, of: session)) }
      return answers
    }
    assert(answers.count == requests.count, "every request has one result")
    for (request, answer) in zip(requests, answers) {
      switch answer.result {
      case .held(let device):
        claims.hold(
          request.device, answer.number ?? 0, highestSequence: device.highestSequence)
      // This node can own a device that was last connected to another node, and that it could not reclaim.
      case .elsewhere(own): break
      case .elsewhere, .unknown: claims.remove(request.device)
      }
    }
    return answers.map(\.result)
  }

  private static func perform(
    _ request: DeviceClaimRequest, of session: SimulatedSession
  ) throws(StorageFailure) -> (result: DeviceClaimResult, number: Int64?) {
    let database = session.database
    let own = session.number
    guard let record = try database.control.record(ofDevice: request.device) else {
      return (.unknown, nil)
    }
    guard var claim = database.claims[request.device] ?? (request.mode == .reclaim ? nil : .init())
    else { return (.elsewhere(0), nil) }
    let isGranted =
      switch request.mode {
      case .ifFree: claim.node == 0 || claim.node == own || database.isEnded(claim.node)
      case .take: true
      case .reclaim: claim.link == own
      }
    guard isGranted else { return (.elsewhere(claim.node), nil) }
    claim.former = claim.node
    if claim.node != own { claim.number += 1 }
    claim.node = own
    if request.hasLink { claim.link = own }
    assert(claim.number > 0, "the first number of a claim is 1")
    database.claims[request.device] = claim
    let world = database.cluster.world
    world.note(
      "\(session.name) claims device number \(request.device) as \(claim.number), formerly of node "
        + "\(claim.former), link \(claim.link), \(request.mode)")
    let state = try database.state(of: request.device, after: claim.former, own: own)
    let isElsewhere =
      claim.link != own && database.node(claim.link).map { !$0.isEnded } ?? false
    return (
      .held(
        ClaimedDevice(
          device: record, registrations: state.registrations, subscriptions: state.subscriptions,
          highestSequence: state.highestSequence,
          formerOwner: claim.former != 0 && claim.former != own ? claim.former : nil,
          mayBeConnectedElsewhere: isElsewhere)), claim.number
    )
  }

  func forget(_ device: UInt64) { claims.remove(device) }

  func devicesClaimedElsewhere() throws(StorageFailure) -> [ClaimElsewhere] {
    try server.read { () throws(StorageFailure) in
      database.claims.filter { $1.link == own && $1.node != own }
        .map { ClaimElsewhere(device: $0, number: $1.number) }.sorted { $0.device < $1.device }
    }
  }

  func lostLinks(among devices: [UInt64]) throws(StorageFailure) -> [UInt64] {
    try server.read { () throws(StorageFailure) in
      devices.filter { database.claims[$0].map { $0.node != own || $0.link != own } ?? false }
    }
  }

  func removeLinks(_ claims: [ClaimElsewhere]) throws(StorageFailure) {
    let session = session
    try server.write("a removal of links") { () throws(StorageFailure) in
      try session.fence()
      for claim in claims {
        guard let current = session.database.claims[claim.device], current.link == session.number,
          current.number == claim.number
        else { continue }
        session.database.claims[claim.device]?.link = 0
      }
    }
  }

  // MARK: Checks of commits

  /// Returns the number of each of these claims that this process holds.
  func held(_ devices: Set<UInt64>) -> [UInt64: Int64] {
    claims.numbers(of: devices)
  }

  /// Returns the number of each of these claims that this process holds, except for the devices for which an operation
  /// stores a notification that was numbered before the last claim.
  func held(_ devices: Set<UInt64>, for operations: [StoreOperation]) -> [UInt64: Int64] {
    claims.numbers(of: devices.subtracting(claims.outdated(operations)))
  }

  /// Forgets claims for which a commit was rejected; returns those that this process no longer holds.
  func lose(_ devices: [UInt64]) -> Set<UInt64> {
    assert(
      devices.allSatisfy { claims.number(of: $0) != nil },
      "the commit checked the claims of the devices")
    for device in devices { claims.remove(device) }
    return Set(devices)
  }

  /// Returns true if the process holds the device's present claim.
  func holdsPresentClaim(on device: UInt64) -> Bool {
    guard let claim = database.claims[device], let number = claims.number(of: device) else {
      return false
    }
    return claim.node == own && claim.number == number
  }
}

extension SimulatedDatabase {
  /// Returns the state of a device that a node has just claimed.
  fileprivate func state(
    of device: UInt64, after former: NodeNumber, own: NodeNumber
  ) throws(StorageFailure) -> SimulatedSnapshots.Device {
    let world = cluster.world
    if world.planted == .loadBeforeClaim, former != 0, former != own,
      let early = earlier.device(device, at: world.time.now)
    {
      return early
    }
    return try present(device)
  }

  /// Saves the state of devices before a change, if a claim is to read too early.
  func saveSnapshots(of devices: some Sequence<UInt64>) throws(StorageFailure) {
    guard cluster.world.planted == .loadBeforeClaim else { return }
    for device in devices {
      earlier.save(try present(device), of: device, at: cluster.world.time.now)
    }
  }

  private func present(_ device: UInt64) throws(StorageFailure) -> SimulatedSnapshots.Device {
    SimulatedSnapshots.Device(
      registrations: try control.registrations(ofDevice: device),
      subscriptions: try control.subscriptions().filter { $0.device == device },
      highestSequence: try notifications.rows(of: device).last?.sequence ?? 0)
  }
}
