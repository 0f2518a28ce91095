public import Foundation

/// Appears when the date and time match the given components.
///
/// Components that are coarser than the given ones match anything, finer ones are zero. A time
/// that the day skips is taken at the end of the gap, one that it has twice at its first
/// occurrence, and a date that does not exist is passed over.
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // Sendable: see the superclass.

  /// What has to match; in the user's calendar and time zone unless they bring their own.
  public let dateComponents: DateComponents

  /// A trigger for the next match, or for each one.
  public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
    self.dateComponents = dateComponents
    super.init(again: repeats)
  }

  /// A trigger for the next match, or for each one, by the initialiser's former label.
  @available(iOS, deprecated: 10.0, renamed: "init(dateMatching:repeats:)")
  public convenience init(dateMatchingComponents dateComponents: DateComponents, repeats: Bool) {
    self.init(dateMatching: dateComponents, repeats: repeats)
  }

  /// When it appears next; nil when nothing matches any more.
  open func nextTriggerDate() -> Date? { dateComponents.nextMatch(after: Date()) }

  /// The trigger's fields, for a log.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("repeats", repeats),
        ("dateComponents", dateComponents),
      ])
  }

  /// Whether the other trigger has the same components and repetition.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNCalendarNotificationTrigger else { return false }
    return dateComponents == other.dateComponents && repeats == other.repeats
  }

  /// The hash of the components.
  open override var hash: Int { dateComponents.hashValue }

  /// Reads an archived trigger; nil when the archive has none.
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
