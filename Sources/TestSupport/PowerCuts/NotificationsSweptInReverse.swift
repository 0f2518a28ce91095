import Storage

/// A notification store with an error: it removes the newest records first.
///
/// The records of what has ended are then removed before the notifications that they ended. The simulation must find
/// that these notifications reappear after a power cut.
enum NotificationsSweptInReverse: PowerCutSubject {
  typealias Subject = NotificationsUnderPowerCuts

  static let name = "notifications, swept in reverse"

  static func open(
    path: String, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteNotificationStore {
    var pace = Subject.pace
    pace.isReversed = true
    return try Subject.open(path: path, pace: pace, now: now)
  }

  static func close(_ store: SQLiteNotificationStore) { store.close() }

  static func operation(
    after contents: Subject.Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> Subject.Operation { Subject.operation(after: contents, number: number, &random) }

  static func perform(
    _ operation: Subject.Operation, on store: SQLiteNotificationStore
  ) throws(StorageFailure) { try Subject.perform(operation, on: store) }

  static func contents(
    of store: SQLiteNotificationStore
  ) throws(StorageFailure) -> Subject.Contents { try Subject.read(store) }

  static func records(_ contents: Subject.Contents) -> Set<String> { Subject.records(contents) }

  static func difference(_ expected: Subject.Contents, _ found: Subject.Contents) -> String {
    Subject.difference(expected, found)
  }
}
