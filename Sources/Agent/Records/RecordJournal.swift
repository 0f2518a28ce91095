import BelfryWire
import Storage
import System

/// What has to become durable, and what the disk has not taken yet.
///
/// Confined to the agent's loop.
final class RecordJournal {
  private let records: any AgentRecords
  private let log: Log
  /// Changes that the disk has not taken, oldest first.
  private var unpersisted: [RecordChange] = []

  /// A journal of nothing yet.
  init(_ records: any AgentRecords, log: Log) {
    self.records = records
    self.log = log
  }

  /// How many changes the disk has not taken.
  var unpersistedCount: Int { unpersisted.count }

  /// Makes the changes among effects durable, and those that an earlier commit could not; the clock's
  /// record goes along where an effect asks for it.
  ///
  /// - Returns: Whether all of it is durable now.
  func commit(_ effects: [AgentEffect], _ clock: any ScheduleClock) -> Bool {
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
    guard !unpersisted.isEmpty else { return true }
    do throws(StorageFailure) {
      try records.commit(unpersisted)
      unpersisted = []
      return true
    } catch {
      log.error("records could not be made durable", ["why": "\(error)"])
      // What the disk did not take is offered to it again, as far as memory may hold it.
      unpersisted.removeFirst(max(0, unpersisted.count - Limits.unkeptChanges))
      assert(unpersisted.count <= Limits.unkeptChanges)
      return false
    }
  }

  /// A value as it is on disk; nil when there is none, or it cannot be read.
  func durableValue(_ collection: RecordCollection, key: String) -> [UInt8]? {
    do throws(StorageFailure) {
      return try records.value(collection, key: key)
    } catch {
      log.error("a record cannot be read", ["record": key, "why": "\(error)"])
      return nil
    }
  }
}
