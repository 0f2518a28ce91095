internal import Synchronization

/// The scripted answers of a running gateway, which its loops read.
///
/// Without rules it costs a loop one relaxed load per request.
public final class FaultRegistry: Sendable {
  private struct Rules {
    var list: [FaultRule] = []
    var changes = 0
  }

  private let rules = Mutex(Rules())
  private let published = Atomic<Int>(0)

  /// Creates a registry with these rules.
  public init(_ rules: [FaultRule] = []) { use(rules) }

  /// A number that changes whenever the rules change; 0 if there are no rules.
  var version: Int { published.load(ordering: .relaxed) }

  /// True if there is any rule.
  public var isActive: Bool { version != 0 }

  /// The rules, in the order in which they were added; the first matching rule wins.
  public var all: [FaultRule] { rules.withLock { $0.list } }

  /// Replaces the rules.
  func use(_ list: [FaultRule]) {
    rules.withLock { rules in
      rules.list = list
      rules.changes += 1
      published.store(list.isEmpty ? 0 : rules.changes, ordering: .relaxed)
    }
  }
}
