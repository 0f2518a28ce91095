internal import Synchronization

/// A scripted answer: a rule with an ID and a count of its uses.
///
/// All loops share the object, so that together they never exceed the rule's limit.
public final class ScriptedFault: Sendable {
  /// The ID, which no other rule of the gateway has ever had.
  public let id: UInt64
  /// The rule as it was added.
  public let rule: FaultRule
  private let used: Atomic<UInt32>

  /// Creates a rule that has already been used `used` times.
  public init(id: UInt64, _ rule: FaultRule, used: UInt32 = 0) {
    self.id = id
    self.rule = rule
    self.used = Atomic(used)
  }

  /// The number of requests that the rule has applied to; 0 for a rule without a limit, whose uses aren't counted.
  var uses: UInt32 { used.load(ordering: .relaxed) }

  /// The number of requests that the rule can still apply to; nil if there is no limit.
  public var remaining: UInt32? {
    rule.times.map { times in times > uses ? times - uses : 0 }
  }

  /// Counts a use of the rule and returns true; returns false if the rule has expired.
  func use() -> Bool {
    guard let times = rule.times else { return true }
    var count = uses
    while count < times {
      let (isExchanged, original) = used.weakCompareExchange(
        expected: count, desired: count + 1, ordering: .relaxed)
      if isExchanged { return true }
      count = original
    }
    return false
  }
}
