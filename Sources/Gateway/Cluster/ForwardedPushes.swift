import Storage

/// The pushes of a home that wait for the answers of other nodes.
struct ForwardedPushes {
  /// A push and the time at which its sender stops waiting.
  private struct Waiting {
    let push: DeviceClaimTable.ClaimedPush
    let deadlineNanoseconds: Int64
  }

  /// The numbers of pushes that wait for the same time, oldest first.
  private struct Line {
    private(set) var numbers: [UInt64] = []
    private var head = 0

    var first: UInt64? { head < numbers.count ? numbers[head] : nil }
    var count: Int { numbers.count - head }

    mutating func append(_ number: UInt64) { numbers.append(number) }

    mutating func removeFirst() {
      head += 1
      guard head == numbers.count || head >= 1_024 && head * 2 >= numbers.count else { return }
      numbers.removeFirst(head)
      head = 0
    }
  }

  private var waiting: [UInt64: Waiting] = [:]
  private var line = Line()
  /// The pushes that cannot be stored and wait for longer.
  private var patientLine = Line()
  private var lastNumber: UInt64 = 0

  /// True if one more push can wait.
  var hasRoom: Bool { waiting.count < Limits.forwardedMax }

  /// The time, in monotonic nanoseconds, at which the first push stops waiting, or earlier; nil if no push waits.
  var nextDeadline: Int64? {
    guard !waiting.isEmpty else { return nil }
    let heads = [line.first, patientLine.first].compactMap { $0 }
    return heads.map { waiting[$0]?.deadlineNanoseconds ?? 0 }.min()
  }

  /// Adds a push, and returns the number that its answer contains.
  mutating func add(_ push: DeviceClaimTable.ClaimedPush, atNanoseconds now: Int64) -> UInt64 {
    assert(hasRoom, "the number of forwarded pushes is within its limit")
    lastNumber += 1
    assert(waiting[lastNumber] == nil, "the number \(lastNumber) is new")
    waiting[lastNumber] = Waiting(
      push: push, deadlineNanoseconds: now + Limits.forwardNanoseconds)
    line.append(lastNumber)
    return lastNumber
  }

  /// Removes the push with this number; nil if it was answered before, or has stopped waiting.
  mutating func remove(_ number: UInt64) -> DeviceClaimTable.ClaimedPush? {
    waiting.removeValue(forKey: number)?.push
  }

  /// Removes the pushes that have waited for too long.
  ///
  /// A push for which `isPatient` returns true waits for longer. It cannot be stored, so this node could
  /// only refuse it, and the owner answers it within that time, even if the device is slow.
  mutating func removeExpired(
    atNanoseconds now: Int64, isPatient: (DeviceClaimTable.ClaimedPush) -> Bool
  ) -> [DeviceClaimTable.ClaimedPush] {
    var expired: [DeviceClaimTable.ClaimedPush] = []
    while let number = patientLine.first {
      if let first = waiting[number] {
        guard first.deadlineNanoseconds <= now else { break }
        expired.append(first.push)
        waiting[number] = nil
      }
      patientLine.removeFirst()
    }
    while let number = line.first {
      if let first = waiting[number] {
        guard first.deadlineNanoseconds <= now else { break }
        if isPatient(first.push) {
          waiting[number] = Waiting(
            push: first.push, deadlineNanoseconds: now + Limits.patientForwardNanoseconds)
          patientLine.append(number)
        } else {
          expired.append(first.push)
          waiting[number] = nil
        }
      }
      line.removeFirst()
    }
    return expired
  }

  /// Asserts the invariants that hold between calls.
  func checkInvariants() {
    assert(waiting.count <= line.count + patientLine.count, "each waiting push is listed")
    assert(waiting.keys.allSatisfy { $0 <= lastNumber }, "each push has an assigned number")
  }
}
