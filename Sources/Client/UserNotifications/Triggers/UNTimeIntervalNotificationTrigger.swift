public import Foundation

/// A trigger that fires a number of seconds after its request is added.
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The number of seconds between the addition of the request and the delivery; also the time between repetitions.
  public let timeInterval: TimeInterval

  /// The next date on which the trigger fires; nil before the request is scheduled.
  private let next: Date?

  /// Creates a trigger that fires after a number of seconds.
  ///
  /// - Precondition: The interval is greater than 0 s, and at least 60 s if it repeats.
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

  /// The minimum number of seconds between repetitions, which is Apple's limit.
  private static let shortestRepetition: TimeInterval = 60

  /// Returns the next date on which the trigger fires.
  ///
  /// Before the request is added, the date is calculated from the current time.
  open func nextTriggerDate() -> Date? { next ?? Date(timeIntervalSinceNow: timeInterval) }

  /// A description of the trigger's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("timeInterval", timeInterval),
      ])
  }

  /// Returns whether the other trigger has the same interval and the same value of `repeats`.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNTimeIntervalNotificationTrigger else { return false }
    return timeInterval == other.timeInterval && repeats == other.repeats
  }

  /// The hash value of the interval.
  open override var hash: Int { timeInterval.hashValue }

  /// Creates a trigger from an archive; nil if the archive does not contain one.
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
