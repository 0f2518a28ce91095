import BelfryWire
import Storage
package import System

/// A journal that writes the records among the effects, and retries changes that the disk rejected.
///
/// The journal is confined to the agent's loop.
package final class RecordJournal {
  private let records: any AgentRecords
  private let log: Log
  /// Changes that are not written yet, oldest first.
  private var unpersisted: [RecordChange] = []

  /// Creates an empty journal.
  package init(_ records: any AgentRecords, log: Log) {
    self.records = records
    self.log = log
  }

  /// A notice for the user about damaged records; nil if all records are intact.
  var damageNotice: String? { records.damageNotice }

  /// The number of changes that are not written yet.
  var unpersistedCount: Int { unpersisted.count }

  /// Writes the changes among the effects, together with those that could not be written before, and the clock's record
  /// if an effect requests it.
  func commit(_ effects: [AgentEffect], _ clock: any ScheduleClock) -> CommitOutcome {
    let count = unpersisted.count
    var wantsClock = false
    for effect in effects {
      switch effect {
      case .persist(let change): unpersisted.append(change)
      case .persistClock: wantsClock = true
      default: break
      }
    }
    if wantsClock, let record = clock.changedRecord() {
      unpersisted.append(.put(.schedule, key: ScheduleRecord.clockKey, record))
    }
    let hasChanges = unpersisted.count > count
    guard !write() else { return .durable }
    return hasChanges ? .refused : .unchanged
  }

  /// Writes the waiting changes, oldest first; returns true if none are left.
  func write() -> Bool {
    guard !unpersisted.isEmpty else { return true }
    do throws(StorageFailure) {
      try records.commit(unpersisted)
      unpersisted = []
      return true
    } catch {
      log.error("cannot write records to disk", ["why": "\(error)"])
      // Failed changes are retried with the next commit, up to the limit on changes held in memory.
      unpersisted.removeFirst(max(0, unpersisted.count - Limits.unpersistedChanges))
      assert(unpersisted.count <= Limits.unpersistedChanges)
      return false
    }
  }

  /// Returns a stored value, or nil if it does not exist or cannot be read.
  package func durableValue(_ collection: RecordCollection, key: String) -> [UInt8]? {
    do throws(StorageFailure) {
      return try records.value(collection, key: key)
    } catch {
      log.error("cannot read a record", ["record": key, "why": "\(error)"])
      return nil
    }
  }
}
