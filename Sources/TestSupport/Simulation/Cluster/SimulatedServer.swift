import Storage

/// One connection to the simulated database, with the rules of the client: a transaction whose result is unknown is sent
/// again, and a server that cannot be reached is not asked again for a while.
final class SimulatedServer {
  let health: StoreHealth
  private unowned let session: SimulatedSession

  init(_ name: String, in session: SimulatedSession) {
    self.session = session
    health = StoreHealth(name: name, isRemote: true)
  }

  private var database: SimulatedDatabase { session.database }
  private var now: Int64 { database.cluster.world.time.now }

  /// Performs a transaction of a node that starts, and has no connection yet.
  static func connect<Answer>(
    _ index: Int, _ database: SimulatedDatabase, _ transaction: () -> Answer
  ) throws(StorageFailure) -> Answer {
    guard !database.isAbsent(for: index), !database.isIsolated else { throw database.absence }
    return transaction()
  }

  /// Performs a read.
  func read<Answer>(
    _ body: () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    guard session.isOpen else { throw .closed }
    if health.failure?.isOfServer == true, let refusal = health.refusal(atNanoseconds: now) {
      throw refusal
    }
    do throws(StorageFailure) {
      guard !database.isAbsent(for: session.index) else { throw database.absence }
      return try body()
    } catch {
      if error.isOfServer {
        health.writeFailed(error, atNanoseconds: now)
      } else if error.isOfDisk {
        health.readFailed(error)
      }
      throw error
    }
  }

  /// Performs a transaction; `believed` is the answer of a client that believes in a success too early.
  func write<Answer>(
    _ what: String, changing devices: Set<UInt64> = [], believed: Answer? = nil,
    mayBeLate: Bool = false, _ transaction: @escaping () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    guard session.isOpen else { throw .closed }
    if let refusal = health.refusal(atNanoseconds: now) { throw refusal }
    do throws(StorageFailure) {
      let answer = try attempt(what, changing: devices, believed, mayBeLate, transaction)
      health.writeSucceeded(atNanoseconds: now)
      return answer
    } catch {
      if error.isOfDisk { health.writeFailed(error, atNanoseconds: now) }
      throw error
    }
  }

  private func attempt<Answer>(
    _ what: String, changing devices: Set<UInt64>, _ believed: Answer?, _ mayBeLate: Bool,
    _ transaction: @escaping () throws(StorageFailure) -> Answer
  ) throws(StorageFailure) -> Answer {
    let world = database.cluster.world
    guard !database.isAbsent(for: session.index) else { throw database.absence }
    if database.isIsolated {
      // The former primary server has the transaction, but cannot commit it without its standby server.
      if world.chance(0.5) {
        world.note("\(session.name): \(what) is only on the old primary server")
        database.uncertainDevices.formUnion(devices)
        database.keepUndecided { () throws(StorageFailure) in _ = try transaction() }
        if let believed, world.planted == .unwrittenRetry { return believed }
      }
      throw database.absence
    }
    guard world.isTroubled, world.chance(database.cluster.profile.unknownShare) else {
      return try transaction()
    }
    let isApplied = world.chance(0.5)
    guard !world.chance(0.6) else {
      // The client sends the same statements again, which have the same effect as if they were sent once.
      if let believed, !isApplied, world.planted == .earlyAnswer {
        world.note("\(session.name): \(what) is answered too early, and is lost")
        return believed
      }
      return try transaction()
    }
    world.note("\(session.name): the result of \(what) is unknown, but it is applied: \(isApplied)")
    database.disconnect(session.index, nanoseconds: world.random(10_000_000...5_000_000_000))
    if isApplied {
      database.uncertainDevices.formUnion(devices)
      // The server can execute a commit long after the client has given up.
      let delay = !mayBeLate || world.chance(0.5) ? 0 : world.random(Int64(0)...20_000_000_000)
      database.performLate(afterNanoseconds: delay) { () throws(StorageFailure) in
        _ = try transaction()
      }
    }
    throw database.absence
  }
}
