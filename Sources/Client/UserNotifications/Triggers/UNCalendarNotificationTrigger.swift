public import Foundation

/// A trigger that fires when the date and time match the given components.
///
/// A component that is coarser than the given components can have any value. A finer component must have its lowest
/// value.
///
/// If a clock change skips the time, the trigger fires at the end of the skipped period. If the time occurs twice on a
/// day, the trigger fires at the first occurrence. A date that does not exist is skipped.
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The components to match, in the user's calendar and time zone unless the components specify their own.
  public let dateComponents: DateComponents

  /// The next date on which the trigger fires, by the agent's clock; nil before the request is scheduled.
  private let next: Date?

  /// Creates a trigger for the next match or, if `repeats` is true, for each match.
  public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
    self.dateComponents = dateComponents
    next = nil
    super.init(again: repeats)
  }

  package init(components: DateComponents, again: Bool, next: Date?) {
    dateComponents = components
    self.next = next
    super.init(again: again)
  }

  /// Creates a trigger for the next match or, if `repeats` is true, for each match.
  ///
  /// The argument label is from an earlier version of the API.
  @available(iOS, deprecated: 10.0, renamed: "init(dateMatching:repeats:)")
  public convenience init(dateMatchingComponents dateComponents: DateComponents, repeats: Bool) {
    self.init(dateMatching: dateComponents, repeats: repeats)
  }

  /// Returns the next date on which the trigger fires; nil if nothing matches.
  ///
  /// Before the request is added, the date is calculated from the current time.
  open func nextTriggerDate() -> Date? { next ?? dateComponents.nextMatch(after: Date()) }

  /// A description of the trigger's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("dateComponents", dateComponents),
      ])
  }

  /// Returns whether the other trigger has the same components and the same value of `repeats`.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNCalendarNotificationTrigger else { return false }
    return dateComponents == other.dateComponents && repeats == other.repeats
  }

  /// The hash value of the components.
  open override var hash: Int { dateComponents.hashValue }

  /// Creates a trigger from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    guard
      let data = coder.decodeObject(of: NSData.self, forKey: "dateComponents") as Data?,
      let components = try? PropertyListDecoder().decode(DateComponents.self, from: data)
    else { return nil }
    dateComponents = components
    next = nil
    super.init(coder: coder)
  }

  /// Writes the trigger to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    guard let data = try? PropertyListEncoder().encode(dateComponents) else { return }
    coder.encode(data as NSData, forKey: "dateComponents")
  }
}
