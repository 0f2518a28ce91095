public import Foundation

/// The mutable content of a notification.
///
/// A request copies the content, so later changes do not affect the request.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
  // Sendable: see the superclass.

  /// The images, sounds, and movies attached to the notification.
  open override var attachments: [UNNotificationAttachment] {
    get { fields.attachments }
    set { fields.attachments = newValue }
  }

  /// The number on the app's icon: nil leaves it unchanged, 0 removes it.
  open override var badge: NSNumber? {
    get { fields.badge }
    set { fields.badge = newValue }
  }

  /// The body text of the notification.
  open override var body: String {
    get { fields.body }
    set { fields.body = newValue }
  }

  /// The identifier of the category that provides the buttons; empty for none.
  open override var categoryIdentifier: String {
    get { fields.categoryIdentifier }
    set { fields.categoryIdentifier = newValue }
  }

  /// The image to show while the app launches from the notification.
  ///
  /// `belfry-center` shows the image until the app has connected.
  open override var launchImageName: String {
    get { fields.launchImageName }
    set { fields.launchImageName = newValue }
  }

  /// The sound of the notification; nil for no sound.
  open override var sound: UNNotificationSound? {
    get { fields.sound }
    set { fields.sound = newValue }
  }

  /// The subtitle of the notification.
  open override var subtitle: String {
    get { fields.subtitle }
    set { fields.subtitle = newValue }
  }

  /// The identifier that groups the notification with others in the same thread.
  open override var threadIdentifier: String {
    get { fields.threadIdentifier }
    set { fields.threadIdentifier = newValue }
  }

  /// The title of the notification.
  open override var title: String {
    get { fields.title }
    set { fields.title = newValue }
  }

  /// The app's custom data, as property-list values.
  open override var userInfo: [AnyHashable: Any] {
    get { fields.userInfo }
    set { fields.userInfo = newValue }
  }

  /// The text for the summary of a group.
  ///
  /// The text is stored, but has no effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open override var summaryArgument: String {
    get { fields.summaryArgument }
    set { fields.summaryArgument = newValue }
  }

  /// The number of items that the notification represents.
  ///
  /// The number is stored, but has no effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open override var summaryArgumentCount: Int {
    get { fields.summaryArgumentCount }
    set { fields.summaryArgumentCount = newValue }
  }

  /// An identifier for the part of the app to open.
  open override var targetContentIdentifier: String? {
    get { fields.targetContentIdentifier }
    set { fields.targetContentIdentifier = newValue }
  }

  /// The urgency of the notification.
  open override var interruptionLevel: UNNotificationInterruptionLevel {
    get { fields.interruptionLevel }
    set { fields.interruptionLevel = newValue }
  }

  /// The relevance of the notification compared with the app's other notifications, from 0 to 1.
  open override var relevanceScore: Double {
    get { fields.relevanceScore }
    set { fields.relevanceScore = newValue }
  }

  /// The criteria by which a Focus decides whether to suppress the notification.
  open override var filterCriteria: String? {
    get { fields.filterCriteria }
    set { fields.filterCriteria = newValue }
  }
}
