public import Foundation

/// What a notification shows, plays and carries, while it is being put together.
///
/// A request takes a copy: what is changed here afterwards has no effect on it.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
  // Sendable: see the superclass.

  /// Pictures, sounds and films that go with it.
  open override var attachments: [UNNotificationAttachment] {
    get { fields.attachments }
    set { fields.attachments = newValue }
  }

  /// The number on the app's icon: nil leaves it, 0 removes it.
  open override var badge: NSNumber? {
    get { fields.badge }
    set { fields.badge = newValue }
  }

  /// The text.
  open override var body: String {
    get { fields.body }
    set { fields.body = newValue }
  }

  /// Which category's buttons it has; empty for none.
  open override var categoryIdentifier: String {
    get { fields.categoryIdentifier }
    set { fields.categoryIdentifier = newValue }
  }

  /// The image shown while the app is launched from it; stored, a Linux desktop shows none.
  open override var launchImageName: String {
    get { fields.launchImageName }
    set { fields.launchImageName = newValue }
  }

  /// The sound; nil for silence.
  open override var sound: UNNotificationSound? {
    get { fields.sound }
    set { fields.sound = newValue }
  }

  /// The second line.
  open override var subtitle: String {
    get { fields.subtitle }
    set { fields.subtitle = newValue }
  }

  /// Groups notifications with the same one.
  open override var threadIdentifier: String {
    get { fields.threadIdentifier }
    set { fields.threadIdentifier = newValue }
  }

  /// The first line.
  open override var title: String {
    get { fields.title }
    set { fields.title = newValue }
  }

  /// The app's own data: property-list values.
  open override var userInfo: [AnyHashable: Any] {
    get { fields.userInfo }
    set { fields.userInfo = newValue }
  }

  /// Fills the group's summary; stored, without effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open override var summaryArgument: String {
    get { fields.summaryArgument }
    set { fields.summaryArgument = newValue }
  }

  /// The number of items that the notification represents; stored, without effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open override var summaryArgumentCount: Int {
    get { fields.summaryArgumentCount }
    set { fields.summaryArgumentCount = newValue }
  }

  /// Which part of the app shall open.
  open override var targetContentIdentifier: String? {
    get { fields.targetContentIdentifier }
    set { fields.targetContentIdentifier = newValue }
  }

  /// How urgent it is.
  open override var interruptionLevel: UNNotificationInterruptionLevel {
    get { fields.interruptionLevel }
    set { fields.interruptionLevel = newValue }
  }

  /// Its weight among the app's notifications, from 0 to 1.
  open override var relevanceScore: Double {
    get { fields.relevanceScore }
    set { fields.relevanceScore = newValue }
  }

  /// Lets a Focus suppress it.
  open override var filterCriteria: String? {
    get { fields.filterCriteria }
    set { fields.filterCriteria = newValue }
  }
}
