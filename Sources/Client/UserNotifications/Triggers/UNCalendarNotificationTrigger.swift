public import Foundation

/// A trigger that fires when the date and time match the given components.
///
/// Components that are coarser than the given ones match any value; finer components have their lowest value. If a
/// clock change skips the time, the trigger fires at the end of the skipped period; if the time occurs twice on a day,
/// the trigger fires at the first occurrence. A date that does not exist is skipped.
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The components to match, in the user's calendar and time zone unless the components specify their own.
  public let dateComponents: DateComponents

  /// Creates a trigger for the next match or, if `repeats` is true, for each match.
  public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
    self.dateComponents = dateComponents
    super.init(again: repeats)
  }

  /// Creates a trigger for the next match or, if `repeats` is true, for each match, using the initializer's previous
  /// argument label.
  @available(iOS, deprecated: 10.0, renamed: "init(dateMatching:repeats:)")
  public convenience init(dateMatchingComponents dateComponents: DateComponents, repeats: Bool) {
    self.init(dateMatching: dateComponents, repeats: repeats)
  }

  /// Returns the next date on which the trigger fires; nil if nothing matches.
  open func nextTriggerDate() -> Date? { dateComponents.nextMatch(after: Date()) }

  /// A description of the trigger's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("dateComponents", dateComponents),
      ])
  }

  /// Returns whether the other trigger has the same components and repetition.
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
    super.init(coder: coder)
  }

  /// Writes the trigger to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    guard let data = try? PropertyListEncoder().encode(dateComponents) else { return }
    coder.encode(data as NSData, forKey: "dateComponents")
  }
}
