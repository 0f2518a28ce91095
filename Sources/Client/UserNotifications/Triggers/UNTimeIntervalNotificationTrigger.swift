public import Foundation

/// Appears some seconds after it was added.
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// Seconds from when it was added, and between repetitions.
  public let timeInterval: TimeInterval

  /// When it appears next, for one that is scheduled.
  private let next: Date?

  /// A trigger of so many seconds.
  ///
  /// - Precondition: the interval is above 0 s, and at least 60 s when it repeats.
  public convenience init(timeInterval: TimeInterval, repeats: Bool) {
    precondition(timeInterval > 0, "timeInterval must be greater than 0")
    precondition(
      !repeats || timeInterval >= Self.shortestRepetition,
      "timeInterval must be at least 60 if repeating")
    self.init(seconds: timeInterval, again: repeats, next: nil)
  }

  package init(seconds: TimeInterval, again: Bool, next: Date?) {
    timeInterval = seconds
    self.next = next
    super.init(again: again)
  }

  /// Seconds between repetitions, at least: Apple's own bound.
  private static let shortestRepetition: TimeInterval = 60

  /// When it appears next; before it is added, as if it were added now.
  open func nextTriggerDate() -> Date? { next ?? Date(timeIntervalSinceNow: timeInterval) }

  /// The trigger's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("timeInterval", timeInterval),
      ])
  }

  /// Whether the other trigger has the same interval and repetition.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNTimeIntervalNotificationTrigger else { return false }
    return timeInterval == other.timeInterval && repeats == other.repeats
  }

  /// The hash of the interval.
  open override var hash: Int { timeInterval.hashValue }

  /// Reads an archived trigger; nil when the archive has none.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "timeInterval") else { return nil }
    timeInterval = coder.decodeDouble(forKey: "timeInterval")
    next = nil
    super.init(coder: coder)
  }

  /// Writes the trigger to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(timeInterval, forKey: "timeInterval")
  }
}
