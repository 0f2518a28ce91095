internal import Synchronization

/// The scripted answers that the loops of a running gateway apply.
///
/// If there are no rules, the registry costs a loop only one relaxed atomic load per request.
public final class FaultRegistry: Sendable {
  private struct Rules {
    var list: [ScriptedFault] = []
    var changes = 0
    var onUse: (@Sendable () -> Void)?
  }

  private let rules = Mutex(Rules())
  private let published = Atomic<Int>(0)
  /// True if a rule has been used since the use counts were last read for storage.
  private let hasNewUses = Atomic<Bool>(false)

  /// Creates a registry with these rules.
  public init(_ faults: [ScriptedFault] = []) { change { $0 = faults } }

  /// A number that changes whenever the rules change; 0 if there are no rules.
  var version: Int { published.load(ordering: .relaxed) }

  /// True if there are any rules.
  public var isActive: Bool { version != 0 }

  /// The rules, in the order in which they were added; the first matching rule wins.
  public var all: [ScriptedFault] { rules.withLock { $0.list } }

  /// The rules as a loop applies them.
  var script: FaultScript { FaultScript(all) { [weak self] in self?.noteUse(of: $0) } }

  func add(_ fault: ScriptedFault) {
    assert(!all.contains { $0.id == fault.id }, "each fault has a unique ID")
    change { $0.append(fault) }
  }

  /// Replaces all rules, because another node of the cluster has changed them.
  func replaceAll(with faults: [ScriptedFault]) { change { $0 = faults } }

  /// Removes the rules with these IDs.
  func remove(_ ids: Set<UInt64>) { change { $0.removeAll { ids.contains($0.id) } } }

  /// Sets the function that the registry calls, on any thread, when use counts must be stored; the function must call
  /// ``takeUses()``.
  func onUse(_ store: @escaping @Sendable () -> Void) { rules.withLock { $0.onUse = store } }

  /// Returns the rules, so that the caller can store their use counts; the registry then reports the next use.
  func takeUses() -> [ScriptedFault] {
    hasNewUses.store(false, ordering: .sequentiallyConsistent)
    return all
  }

  /// Handles a use of a rule with a limit, and removes the rule if that was its last use.
  private func noteUse(of fault: ScriptedFault) {
    if fault.remaining == 0 { remove([fault.id]) }
    guard !hasNewUses.exchange(true, ordering: .sequentiallyConsistent) else { return }
    rules.withLock { $0.onUse }?()
  }

  private func change(_ body: (inout [ScriptedFault]) -> Void) {
    rules.withLock { rules in
      body(&rules.list)
      rules.changes += 1
      published.store(rules.list.isEmpty ? 0 : rules.changes, ordering: .relaxed)
    }
  }
}
