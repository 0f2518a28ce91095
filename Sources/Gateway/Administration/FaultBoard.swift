internal import Synchronization

/// The scripted answers of a running gateway, read by its loops.
///
/// Off costs a loop one relaxed load a request.
public final class FaultBoard: Sendable {
  private let rules = Mutex<[FaultRule]>([])
  private let count = Atomic<Int>(0)

  /// A board without rules.
  public init() {}

  /// Whether there is any rule.
  public var isActive: Bool { count.load(ordering: .relaxed) > 0 }

  /// The rules, in the order in which they were added; the first that applies wins.
  public var all: [FaultRule] { rules.withLock { $0 } }

  /// Adds a rule; false when there are too many.
  func add(_ rule: FaultRule) -> Bool {
    rules.withLock { rules in
      guard rules.count < Limits.faultRulesMax else { return false }
      rules.append(rule)
      count.store(rules.count, ordering: .relaxed)
      return true
    }
  }

  /// Removes every rule.
  func clear() {
    rules.withLock { rules in
      rules.removeAll()
      count.store(0, ordering: .relaxed)
    }
  }
}
