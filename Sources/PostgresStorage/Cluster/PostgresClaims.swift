internal import Storage
internal import Synchronization

/// The claims that this process holds, and the statements that change and check them.
final class PostgresClaims: DeviceClaims {
  private let server: PostgresServer
  private let node: PostgresNode
  private let own: NodeNumber
  /// The claims that this process holds, by device.
  private let claims = Mutex(HeldClaims())
  /// A lock that makes the order of the claims in this process the same as in the database.
  private let order = Mutex<Void>(())

  /// Creates an empty table of claims for a node that has started.
  init(_ server: PostgresServer, node: PostgresNode, number: NodeNumber) {
    assert(node.number == number, "the node has this number")
    self.server = server
    self.node = node
    own = number
  }

  func claim(_ requests: [DeviceClaimRequest]) throws(StorageFailure) -> [DeviceClaimResult] {
    guard !requests.isEmpty else { return [] }
    assert(
      Set(requests.map(\.device)).count == requests.count, "a device appears at most once")
    return try order.withLock { _ throws(StorageFailure) in
      let answer = try answer(to: requests)
      assert(
        answer.results.count == requests.count, "every request has one result")
      claims.withLock { claims in
        for ((request, number), result) in zip(zip(requests, answer.numbers), answer.results) {
          switch (number, result) {
          case (.kept, _): break
          case (.held(let number), .held(let device)):
            claims.hold(request.device, number, highestSequence: device.highestSequence)
          case (.held, _), (.gone, _): claims.remove(request.device)
          }
        }
      }
      return answer.results
    }
  }

  func forget(_ device: UInt64) { claims.withLock { $0.remove(device) } }

  func devicesClaimedElsewhere() throws(StorageFailure) -> [ClaimElsewhere] {
    let rows = try server.read([.init(Self.elsewhere, [.integer(Int64(own))])])
    return rows.flatMap { rows in
      (0..<rows.count).map { ClaimElsewhere(device: rows.bits($0, 0), number: rows.integer($0, 1)) }
    }
  }

  func lostLinks(among devices: [UInt64]) throws(StorageFailure) -> [UInt64] {
    guard !devices.isEmpty else { return [] }
    let rows = try server.read([
      .init(Self.lostLinks, [.integer(Int64(own)), Self.array(devices)])
    ])
    return rows.flatMap { rows in (0..<rows.count).map { rows.bits($0, 0) } }
  }

  func removeLinks(_ claims: [ClaimElsewhere]) throws(StorageFailure) {
    guard !claims.isEmpty else { return }
    // A device can have connected to this node since the claims were read, which changed the number of its claim.
    _ = try server.write([
      node.fence,
      .init(
        Self.removeLinks,
        [
          .integer(Int64(own)), Self.array(claims.map(\.device)), .integers(claims.map(\.number)),
        ]),
    ])
  }

  // MARK: - Checks of commits

  /// Returns the number of each of these claims that this process holds, by device.
  func held(_ devices: Set<UInt64>) -> [UInt64: Int64] {
    claims.withLock { $0.numbers(of: devices) }
  }

  /// Returns the number of each of these claims that this process holds, by device, except for the devices for which an
  /// operation stores a notification that this process numbered before it last claimed the device.
  func held(_ devices: Set<UInt64>, for operations: [StoreOperation]) -> [UInt64: Int64] {
    claims.withLock { $0.numbers(of: devices.subtracting($0.outdated(operations))) }
  }

  /// Returns the statement that locks these claims until the end of the transaction, and fails if one of them is lost.
  func check(_ held: [UInt64: Int64]) -> PostgresConnection.Call {
    assert(!held.isEmpty, "only commits for devices check claims")
    let pairs = Array(held)
    return .init(
      Self.check,
      [.integer(Int64(own)), Self.array(pairs.map(\.key)), .integers(pairs.map(\.value))])
  }

  /// Forgets claims for which a commit was rejected, unless this process has claimed the device again since `held`.
  ///
  /// Returns the devices whose claims this process no longer holds.
  func lose(_ devices: [UInt64], heldBefore held: [UInt64: Int64]) -> Set<UInt64> {
    assert(devices.allSatisfy { held[$0] != nil }, "the commit checked the claims of the devices")
    return claims.withLock { claims in
      let present = claims.numbers(of: Set(devices))
      let lost = devices.filter { present[$0] == nil || present[$0] == held[$0] }
      for device in lost { claims.remove(device) }
      return Set(lost)
    }
  }

  // MARK: - Claiming

  /// The effect of a result on the table of claims.
  private enum Number: Equatable {
    case held(Int64), gone, kept
  }

  /// Claims devices in the database, and reads the records of the devices after their claims are locked.
  private func answer(
    to requests: [DeviceClaimRequest]
  ) throws(StorageFailure) -> (results: [DeviceClaimResult], numbers: [Number]) {
    let devices = requests.map(\.device)
    let parameters: [PostgresValue] = [.integer(Int64(own)), Self.array(devices)]
    let rows = try server.write([
      node.fence,
      .init(
        Self.claim,
        parameters + [
          .integers(requests.map { Self.code($0.mode) }),
          .integers(requests.map { $0.hasLink ? 1 : 0 }),
        ]),
      .init(PostgresControlRows<DeviceRecord>.ofClaims.statement, parameters),
      .init(PostgresControlRows<RegistrationRecord>.ofClaims.statement, parameters),
      .init(PostgresControlRows<SubscriptionRecord>.ofClaims.statement, parameters),
      .init(Self.sequences, parameters),
    ])
    guard rows.count == 6 else { throw server.invalidRow("claim") }
    var owners: [UInt64: (owner: NodeNumber, number: Int64?)] = [:]
    for row in 0..<rows[1].count {
      owners[rows[1].bits(row, 0)] = (
        NodeNumber(truncatingIfNeeded: rows[1].integer(row, 1)), rows[1].optionalInteger(row, 2)
      )
    }
    let records = try records(rows, former: formerOwners(rows[1]), linked: linkedElsewhere(rows[1]))
    var results: [DeviceClaimResult] = []
    var numbers: [Number] = []
    for device in devices {
      guard let (owner, number) = owners[device] else {
        results.append(.unknown)
        numbers.append(.gone)
        continue
      }
      guard let number else {
        results.append(.elsewhere(owner))
        // This node can own a device that was last connected to another node, and that it could not reclaim.
        numbers.append(owner == own ? .kept : .gone)
        continue
      }
      guard let claimed = records[device] else { throw server.invalidRow("device") }
      assert(number > 0, "the first number of a claim is 1")
      results.append(.held(claimed))
      numbers.append(.held(number))
    }
    return (results, numbers)
  }

  /// Returns the previous owners of devices that other nodes owned.
  private func formerOwners(_ rows: PostgresRows) -> [UInt64: NodeNumber] {
    var owners: [UInt64: NodeNumber] = [:]
    for row in 0..<rows.count {
      let former = NodeNumber(truncatingIfNeeded: rows.integer(row, 3))
      if former != 0, former != own { owners[rows.bits(row, 0)] = former }
    }
    return owners
  }

  /// Returns the devices that might be connected to other nodes.
  private func linkedElsewhere(_ rows: PostgresRows) -> Set<UInt64> {
    Set((0..<rows.count).filter { rows.optionalInteger($0, 4) == 1 }.map { rows.bits($0, 0) })
  }

  /// Returns the state of each device that this node owns.
  private func records(
    _ rows: [PostgresRows], former: [UInt64: NodeNumber], linked: Set<UInt64>
  ) throws(StorageFailure) -> [UInt64: ClaimedDevice] {
    let registrations = Dictionary(
      grouping: try server.records(.ofClaims, in: rows[3]) as [RegistrationRecord],
      by: \.key.device)
    let subscriptions = Dictionary(
      grouping: try server.records(.ofClaims, in: rows[4]) as [SubscriptionRecord],
      by: \.device)
    var highest: [UInt64: UInt64] = [:]
    for row in 0..<rows[5].count { highest[rows[5].bits(row, 0)] = rows[5].bits(row, 1) }
    var claimed: [UInt64: ClaimedDevice] = [:]
    for device in try server.records(.ofClaims, in: rows[2]) as [DeviceRecord] {
      claimed[device.number] = ClaimedDevice(
        device: device, registrations: registrations[device.number] ?? [],
        subscriptions: subscriptions[device.number] ?? [],
        highestSequence: highest[device.number] ?? 0, formerOwner: former[device.number],
        mayBeConnectedElsewhere: linked.contains(device.number))
    }
    return claimed
  }

  /// Returns the number of a mode in the function `belfry_claim`.
  private static func code(_ mode: DeviceClaimRequest.Mode) -> Int64 {
    switch mode {
    case .ifFree: 1
    case .take: 2
    case .reclaim: 3
    }
  }

  private static func array(_ devices: [UInt64]) -> PostgresValue {
    .integers(devices.map { Int64(bitPattern: $0) })
  }

  private static let claim = PostgresConnection.Statement(
    name: "claim",
    sql:
      "SELECT claimed, owner, claim_number, former_owner, linked_elsewhere FROM belfry_claim($1, $2, $3, $4)"
  )
  private static let check = PostgresConnection.Statement(
    name: "check_claims", sql: "SELECT belfry_check_claims($1, $2, $3)")
  private static let sequences = PostgresConnection.Statement(
    name: "sequences_of_claims",
    sql: """
      SELECT c.device, (SELECT max(n.sequence) FROM notification n WHERE n.device = c.device)
      FROM claim c WHERE c.node = $1 AND c.device = ANY ($2::bigint[])
      """)
  private static let elsewhere = PostgresConnection.Statement(
    name: "claimed_elsewhere",
    sql:
      "SELECT device, number FROM claim WHERE link = $1 AND link <> node AND link <> 0 ORDER BY device"
  )
  private static let lostLinks = PostgresConnection.Statement(
    name: "lost_links",
    sql: "SELECT device FROM claim WHERE device = ANY ($2::bigint[]) AND (node <> $1 OR link <> $1)"
  )
  private static let removeLinks = PostgresConnection.Statement(
    name: "remove_links",
    sql: """
      WITH linked AS (
        SELECT claim.device FROM claim
        JOIN unnest($2::bigint[], $3::bigint[]) seen (device, number)
          ON claim.device = seen.device AND claim.number = seen.number
        WHERE link = $1 ORDER BY claim.device FOR NO KEY UPDATE OF claim)
      UPDATE claim SET link = 0 FROM linked WHERE claim.device = linked.device
      """)
}
