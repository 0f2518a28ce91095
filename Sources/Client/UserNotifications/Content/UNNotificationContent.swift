public import Foundation

/// The content of a notification.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, NSSecureCoding,
  @unchecked Sendable
{
  // Sendable: this class never changes its fields. As with Apple's class, each object of the mutable subclass is used
  // by only one owner at a time; requests hold copies.
  package var fields: ContentFields

  /// Creates content in which all fields have their default values.
  public override init() {
    fields = ContentFields()
    super.init()
  }

  package init(_ fields: ContentFields) {
    self.fields = fields
    super.init()
  }

  /// The images, sounds, and movies attached to the notification.
  open var attachments: [UNNotificationAttachment] { fields.attachments }

  /// The number on the app's icon: nil leaves it unchanged, 0 removes it.
  open var badge: NSNumber? { fields.badge }

  /// The body text of the notification.
  open var body: String { fields.body }

  /// The identifier of the category that provides the buttons; empty for none.
  open var categoryIdentifier: String { fields.categoryIdentifier }

  /// The image to show while the app launches from the notification.
  ///
  /// `belfry-center` shows the image until the app has connected.
  open var launchImageName: String { fields.launchImageName }

  /// The sound of the notification; nil for no sound.
  open var sound: UNNotificationSound? { fields.sound }

  /// The subtitle of the notification.
  open var subtitle: String { fields.subtitle }

  /// The identifier that groups the notification with others in the same thread.
  open var threadIdentifier: String { fields.threadIdentifier }

  /// The title of the notification.
  open var title: String { fields.title }

  /// The app's custom data, as property-list values; the payload of a push can also contain `NSNull`.
  open var userInfo: [AnyHashable: Any] { fields.userInfo }

  /// The text for the summary of a group.
  ///
  /// The text is stored, but has no effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open var summaryArgument: String { fields.summaryArgument }

  /// The number of items that the notification represents.
  ///
  /// The number is stored, but has no effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open var summaryArgumentCount: Int { fields.summaryArgumentCount }

  /// An identifier for the part of the app to open.
  open var targetContentIdentifier: String? { fields.targetContentIdentifier }

  /// The urgency of the notification.
  open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }

  /// The relevance of the notification compared with the app's other notifications, from 0 to 1.
  open var relevanceScore: Double { fields.relevanceScore }

  /// The criteria by which a Focus decides whether to suppress the notification.
  open var filterCriteria: String? { fields.filterCriteria }

  /// Returns a copy of the content, updated with data from one of the app's objects, such as an intent to send a
  /// message.
  ///
  /// - Throws: `UNError.contentProvidingObjectNotAllowed` if the object cannot provide content, or
  ///   `UNError.contentProvidingInvalid` if the object represents a message without a sender.
  open func updating(
    from provider: any UNNotificationContentProviding
  ) throws -> UNNotificationContent {
    guard let provider = provider as? any ContentProviding else {
      throw UNError.because(.contentProvidingObjectNotAllowed)
    }
    var fields = fields
    try provider.provide(&fields)
    return UNNotificationContent(fields)
  }

  /// A description of the content's fields, for logs.
  open override var description: String {
    ObjectDescription.make(
      self,
      [
        ("title", title),
        ("subtitle", subtitle),
        ("body", body),
        ("summaryArgument", fields.summaryArgument),
        ("summaryArgumentCount", fields.summaryArgumentCount),
        ("categoryIdentifier", categoryIdentifier),
        ("launchImageName", launchImageName),
        ("threadIdentifier", threadIdentifier),
        ("attachments", ObjectDescription.list(attachments)),
        ("badge", badge),
        ("sound", sound),
        ("interruptionLevel", interruptionLevel),
        ("relevanceScore", relevanceScore),
        ("filterCriteria", filterCriteria),
        ("targetContentIdentifier", targetContentIdentifier),
        ("userInfo", userInfo),
      ])
  }

  /// Returns whether all fields of the other content are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationContent)?.fields == fields
  }

  /// The hash value of the title, subtitle, and body.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(fields.title)
    hasher.combine(fields.subtitle)
    hasher.combine(fields.body)
    return hasher.finalize()
  }

  /// Returns a copy that does not reflect later changes.
  open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields) }

  /// Returns a copy that can be changed.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(fields) }

  /// A Boolean value that indicates whether the class supports secure coding; always true.
  open class var supportsSecureCoding: Bool { true }

  /// Creates content from an archive; archives from Apple's systems have a different format.
  public required init?(coder: NSCoder) {
    fields = ContentFields(coder: coder)
    super.init()
  }

  /// Writes the content to an archive.
  open func encode(with coder: NSCoder) { fields.encode(with: coder) }
}
