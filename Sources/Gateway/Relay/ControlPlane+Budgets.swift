import BelfryWire
import Storage

/// The budgets of senders' keys.
extension ControlPlane {
  /// Reads the budgets from the store.
  func updateBudgets() throws(StorageFailure) {
    var read: [String: SenderBudget] = [:]  // text: IDs of known keys
    for record in try store.budgets() {
      if let known = budgets[record.key], known.hasLimits(of: record) {
        read[record.key] = known
      } else {
        read[record.key] = SenderBudget(record, counter: counter(ofKey: record.key))
      }
    }
    budgets = read
  }

  /// Returns the budget of a key; nil for no limits.
  ///
  /// If the row might be damaged, the limits are unknown, so the budget grants nothing.
  func budget(ofKey key: String) -> SenderBudget? {
    if let budget = budgets[key] { return budget }
    guard store.damage.mayHave(.budget(key)) else { return nil }
    return SenderBudget(nil, counter: counter(ofKey: key))
  }

  /// Returns a function that counts pushes durably, on the thread of the store's writer.
  private func counter(ofKey key: String) -> SenderBudget.Counter {
    let (writer, log) = (writer, log)
    return { count, completion in
      let isAsked = writer.perform { store in
        var row: BudgetRecord?
        do throws(StorageFailure) {
          try store.apply([.addUse(key: key, day: count.day, count: count.pushes)])
          row = try store.budget(ofKey: key)
        } catch {
          log.storeFailure("cannot count relayed pushes", error)
        }
        completion(row)
      }
      if !isAsked { completion(nil) }
    }
  }
}
