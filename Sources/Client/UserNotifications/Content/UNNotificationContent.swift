public import Foundation

/// What a notification shows, plays and carries.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, NSSecureCoding,
  @unchecked Sendable
{
  // Sendable: this class never changes its fields, and the mutable subclass, like Apple's, is for
  // one owner at a time; requests hold copies.
  package var fields: ContentFields

  /// Content with nothing in it.
  public override init() {
    fields = ContentFields()
    super.init()
  }

  package init(_ fields: ContentFields) {
    self.fields = fields
    super.init()
  }

  /// Pictures, sounds and films that go with it.
  open var attachments: [UNNotificationAttachment] { fields.attachments }

  /// The number on the app's icon: nil leaves it, 0 removes it.
  open var badge: NSNumber? { fields.badge }

  /// The text.
  open var body: String { fields.body }

  /// Which category's buttons it has; empty for none.
  open var categoryIdentifier: String { fields.categoryIdentifier }

  /// The image shown while the app is launched from it; stored, a Linux desktop shows none.
  open var launchImageName: String { fields.launchImageName }

  /// The sound; nil for silence.
  open var sound: UNNotificationSound? { fields.sound }

  /// The second line.
  open var subtitle: String { fields.subtitle }

  /// Groups notifications with the same one.
  open var threadIdentifier: String { fields.threadIdentifier }

  /// The first line.
  open var title: String { fields.title }

  /// The app's own data: property-list values, and `NSNull` in the payload of a push.
  open var userInfo: [AnyHashable: Any] { fields.userInfo }

  /// Fills the group's summary; stored, without effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open var summaryArgument: String { fields.summaryArgument }

  /// The number of items that the notification represents; stored, without effect.
  @available(iOS, deprecated: 15.0, message: "Ignored")
  open var summaryArgumentCount: Int { fields.summaryArgumentCount }

  /// Which part of the app shall open.
  open var targetContentIdentifier: String? { fields.targetContentIdentifier }

  /// How urgent it is.
  open var interruptionLevel: UNNotificationInterruptionLevel { fields.interruptionLevel }

  /// Its weight among the app's notifications, from 0 to 1.
  open var relevanceScore: Double { fields.relevanceScore }

  /// Lets a Focus suppress it.
  open var filterCriteria: String? { fields.filterCriteria }

  /// Updates the content from an object of the app, such as the intent of a message.
  ///
  /// - Throws: `UNError.contentProvidingObjectNotAllowed` for an object that provides nothing,
  ///   `UNError.contentProvidingInvalid` for a message without a sender.
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

  /// The content's fields, for a log.
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

  /// Whether the other content is the same in every respect.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? UNNotificationContent)?.fields == fields
  }

  /// The hash of the texts.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(fields.title)
    hasher.combine(fields.subtitle)
    hasher.combine(fields.body)
    return hasher.finalize()
  }

  /// A copy that does not follow later changes.
  open func copy(with zone: NSZone? = nil) -> Any { UNNotificationContent(fields) }

  /// A copy that can be changed.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { UNMutableNotificationContent(fields) }

  /// Content can be archived securely.
  open class var supportsSecureCoding: Bool { true }

  /// Reads archived content; archives of Apple's systems have another form.
  public required init?(coder: NSCoder) {
    fields = ContentFields(coder: coder)
    super.init()
  }

  /// Writes the content to an archive.
  open func encode(with coder: NSCoder) { fields.encode(with: coder) }
}
