import Foundation
import Storage
import Synchronization

/// A store that is opened and closed several times, either gracefully or by a power cut.
///
/// A second store, in memory, receives every acknowledged write and provides the expected contents.
final class PowerCutWorld<Subject: PowerCutSubject> {
  /// A write, which is uncertain if a failed sync leaves its outcome unknown.
  private struct Step {
    let operation: Subject.Operation
    var isCertain: Bool
  }

  private let seed: UInt64
  private var random: SeededGenerator
  private let folder: ScratchFolder?
  private let path: String
  private let disk: PowerCutDisk
  /// A clock that advances with each write, so that a failed store can be tried again.
  private let clock = ManualNanoseconds()
  private var steps: [Step] = []
  private var inFlight: Subject.Operation?
  /// The in-memory store that contains the writes so far; nil while the outcome of some writes is unknown.
  private var oracle: Subject.Store?
  private var contents: Subject.Contents?
  private var number: UInt64 = 0
  private var cuts = 0
  private var acknowledged = 0
  private var formerMark: Data?
  private var trace: [String] = []
  private var violation: String?
  private var flip: String?

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    folder = try? ScratchFolder()
    path = (folder?.path ?? "/nonexistent") + "/store.db"
    disk = PowerCutDisk(folder: folder?.path ?? "/nonexistent", seed: random.next())
  }

  func run() -> PowerCutSimulation.Outcome {
    if folder == nil { fail("the scratch folder could not be created") }
    var cutsLeft = random.draw(3...12)
    while cutsLeft > 0, violation == nil {
      if random.chance(0.2) { disk.cut(afterOperations: UInt64(random.draw(0...40))) }
      if let store = start() { live(store) }
      // The store is closed before the machine restarts, just as the kernel closes the files of a dead process.
      if disk.isOff || random.chance(0.6) { cutPower() }
      cutsLeft -= 1
    }
    disk.cut(afterOperations: .max)
    if violation == nil {
      if let store = start() {
        Subject.close(store)
      } else {
        fail("the store could not be opened after the last power cut")
      }
    }
    if violation == nil { flipBit() }
    let lines = trace.suffix(60).joined(separator: "\n")
    let head = "seed \(seed) (\(Subject.name)): \(cuts) cuts, \(acknowledged) writes acknowledged"
    return PowerCutSimulation.Outcome(
      seed: seed, violation: violation, cuts: cuts, acknowledged: acknowledged,
      unsynced: disk.unsyncedCount, flip: flip,
      report: violation.map { "\(head)\n\(lines)\nBROKEN: \($0)" } ?? head)
  }

  // MARK: Lives

  /// Opens the store and compares it with the acknowledged writes.
  ///
  /// Returns nil if the power is cut during startup.
  private func start() -> Subject.Store? {
    note("starts")
    do throws(PowerCutFault) {
      let store = try Subject.open(path: path, now: clock.now)
      do throws(StorageFailure) {
        try compare(store)
      } catch {
        throw .storage(error)
      }
      formerMark = FileManager.default.contents(atPath: path + "-mark")
      return store
    } catch {
      if !disk.isOff { fail("the store could not be opened: \(error)") }
      return nil
    }
  }

  private func live(_ store: Subject.Store) {
    if random.chance(0.8) {
      // Draw from several orders of magnitude, to hit both the first commit and late checkpoints.
      let most = [10, 100, 1_000, 4_000][random.draw(0...3)]
      disk.cut(afterOperations: UInt64(random.draw(0...most)))
    }
    if random.chance(0.15) { disk.failSync(after: UInt64(random.draw(0...30))) }
    for _ in 0..<random.draw(1...150) {
      guard violation == nil, !disk.isOff else { break }
      write(store)
    }
    Subject.close(store)
  }

  private func write(_ store: Subject.Store) {
    guard let contents else { return }
    number += 1
    clock.advance(seconds: 20)
    let operation = Subject.operation(after: contents, number: number, &random)
    do throws(StorageFailure) {
      try Subject.perform(operation, on: store)
      acknowledged += 1
      steps.append(Step(operation: operation, isCertain: true))
      if let oracle {
        try Subject.perform(operation, on: oracle)
        self.contents = try Subject.contents(of: oracle)
      } else {
        // The contents are uncertain, so draw the next operation from the contents that the store reports.
        self.contents = try Subject.contents(of: store)
      }
    } catch {
      if disk.isOff {
        note("write \(number) is interrupted")
        inFlight = operation
      } else if disk.hasFailed {
        note("write \(number) fails: \(error)")
        steps.append(Step(operation: operation, isCertain: false))
        oracle = nil
        check(store)
      } else if !isRefusal(error, of: operation) {
        fail("write \(number) fails: \(error)")
      }
    }
  }

  /// Returns true if the in-memory store also refuses the operation, because a referenced record does not exist.
  private func isRefusal(_ failure: StorageFailure, of operation: Subject.Operation) -> Bool {
    switch failure {
    case .missing, .exists: true
    default: false
    }
  }

  private func cutPower() {
    cuts += 1
    note("the power fails after \(disk.operationCount) operations")
    disk.restart()
    // The mark is not synced, so it might be outdated or missing.
    let mark = path + "-mark"
    switch random.draw(0...3) {
    case 0: try? formerMark?.write(to: URL(fileURLWithPath: mark))
    case 1: try? FileManager.default.removeItem(atPath: mark)
    default: break
    }
  }

  // MARK: Required rows

  private func check(_ store: Subject.Store) {
    do throws(StorageFailure) {
      let found = try Subject.contents(of: store)
      if match(found, withFlight: false) == nil {
        fail("after a failed sync: \(Subject.difference(try replay(steps).contents, found))")
      }
      contents = found
    } catch {
      if !disk.isOff { fail("the store could not be read after a failed sync: \(error)") }
    }
  }

  /// Identifies the store's contents among the possible contents.
  ///
  /// After this call, the contents are certain.
  private func compare(_ store: Subject.Store) throws(StorageFailure) {
    let found = try Subject.contents(of: store)
    if let oracle, let contents, found == contents {
      self.oracle = oracle
    } else {
      guard let matched = match(found, withFlight: true) else {
        return fail(Subject.difference(try replay(steps.filter(\.isCertain)).contents, found))
      }
      steps = matched.steps
      oracle = matched.oracle
    }
    contents = found
    inFlight = nil
    for index in steps.indices { steps[index].isCertain = true }
  }

  /// Tries each combination of the uncertain steps.
  private func match(
    _ found: Subject.Contents, withFlight: Bool
  ) -> (steps: [Step], oracle: Subject.Store)? {
    var all = steps
    if withFlight, let inFlight { all.append(Step(operation: inFlight, isCertain: false)) }
    let uncertain = all.indices.filter { !all[$0].isCertain }
    assert(uncertain.count < 8, "fewer than 8 steps are uncertain")
    for choice in 0..<(1 << uncertain.count) {
      let left = Set(uncertain.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element))
      let chosen = all.indices.filter { !left.contains($0) }.map { all[$0] }
      // A later write can depend on a write that this combination omits.
      guard let (oracle, contents) = try? replay(chosen) else { continue }
      if contents == found { return (chosen, oracle) }
    }
    return nil
  }

  private func replay(
    _ steps: [Step]
  ) throws(StorageFailure) -> (oracle: Subject.Store, contents: Subject.Contents) {
    do throws(PowerCutFault) {
      let oracle = try Subject.open(path: "", now: clock.now)
      do throws(StorageFailure) {
        for step in steps { try Subject.perform(step.operation, on: oracle) }
        return (oracle, try Subject.contents(of: oracle))
      } catch {
        throw .storage(error)
      }
    } catch {
      if case .storage(let failure) = error { throw failure }
      preconditionFailure("opening the store in memory failed")
    }
  }

  // MARK: Flipped bits

  /// Flips a bit in the store's file, and opens the store as its program does.
  private func flipBit() {
    guard let contents, disk.flip(path, bit: random.next()) else { return }
    let written = Subject.records(contents)
    do throws(PowerCutFault) {
      guard let found = try open() else { return }
      flip = "unchanged"
      if found != contents {
        fail("a flipped bit was not detected: \(Subject.difference(contents, found))")
      }
    } catch {
      flip = "damaged"
      note("a flipped bit was detected: \(error)")
      // The damage is reported once. After that, the store is either intact or cannot be opened.
      guard let found = try? open() else { return }
      flip = "set aside"
      let invented = Subject.records(found).subtracting(written)
      if !invented.isEmpty { fail("a flipped bit produced the records \(invented)") }
    }
  }

  private func open() throws(PowerCutFault) -> Subject.Contents? {
    let store = try Subject.open(path: path, now: clock.now)
    defer { Subject.close(store) }
    do throws(StorageFailure) {
      return try Subject.contents(of: store)
    } catch {
      throw .storage(error)
    }
  }

  private func note(_ line: String) { trace.append(line) }

  private func fail(_ promise: String) {
    if violation == nil { violation = promise }
  }
}

/// A monotonic clock that advances only with writes.
private final class ManualNanoseconds: Sendable {
  private let nanoseconds = Atomic<Int64>(1)

  var now: @Sendable () -> Int64 {
    { [self] in nanoseconds.load(ordering: .relaxed) }
  }

  func advance(seconds: Int64) {
    nanoseconds.add(seconds * 1_000_000_000, ordering: .relaxed)
  }
}
