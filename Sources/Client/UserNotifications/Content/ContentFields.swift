package import Foundation

/// The fields of a notification's content, which the immutable and the mutable content class both use.
package struct ContentFields: Equatable {
  package var attachments: [UNNotificationAttachment] = []
  package var badge: NSNumber?
  package var body = ""
  package var categoryIdentifier = ""
  package var launchImageName = ""
  package var sound: UNNotificationSound?
  package var subtitle = ""
  package var threadIdentifier = ""
  package var title = ""
  package var userInfo: [AnyHashable: Any] = [:]
  package var summaryArgument = ""
  package var summaryArgumentCount = 1
  package var targetContentIdentifier: String?
  package var interruptionLevel = UNNotificationInterruptionLevel.active
  package var relevanceScore = 0.0
  package var filterCriteria: String?

  package init() {}

  /// Moves the attachments' files into the store.
  ///
  /// Returns the content with the URLs of the files in the store.
  ///
  /// - Throws: `UNError` if a file cannot be stored.
  package func storingAttachments(in store: AttachmentStore = .shared) throws -> ContentFields {
    guard !attachments.isEmpty else { return self }
    var fields = self
    fields.attachments = try store.add(attachments)
    return fields
  }

  /// Returns whether all fields are equal; `userInfo` is compared as a dictionary.
  package static func == (one: ContentFields, other: ContentFields) -> Bool {
    one.title == other.title && one.subtitle == other.subtitle && one.body == other.body
      && one.badge == other.badge && one.sound == other.sound
      && one.attachments == other.attachments
      && one.categoryIdentifier == other.categoryIdentifier
      && one.threadIdentifier == other.threadIdentifier
      && one.launchImageName == other.launchImageName
      && one.summaryArgument == other.summaryArgument
      && one.summaryArgumentCount == other.summaryArgumentCount
      && one.targetContentIdentifier == other.targetContentIdentifier
      && one.interruptionLevel == other.interruptionLevel
      && one.relevanceScore == other.relevanceScore && one.filterCriteria == other.filterCriteria
      && (one.userInfo as NSDictionary).isEqual(other.userInfo as NSDictionary)
  }
}

extension ContentFields {
  private static var propertyListClasses: [AnyClass] {
    [
      NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      NSNull.self,
    ]
  }

  init(coder: NSCoder) {
    self.init()
    func text(_ key: String) -> String? {
      coder.decodeObject(of: NSString.self, forKey: key) as String?
    }
    attachments =
      coder.decodeObject(of: [NSArray.self, UNNotificationAttachment.self], forKey: "attachments")
      as? [UNNotificationAttachment] ?? []
    badge = coder.decodeObject(of: NSNumber.self, forKey: "badge")
    body = text("body") ?? ""
    categoryIdentifier = text("categoryIdentifier") ?? ""
    launchImageName = text("launchImageName") ?? ""
    sound = coder.decodeObject(of: UNNotificationSound.self, forKey: "sound")
    subtitle = text("subtitle") ?? ""
    threadIdentifier = text("threadIdentifier") ?? ""
    title = text("title") ?? ""
    userInfo =
      coder.decodeObject(of: Self.propertyListClasses, forKey: "userInfo") as? [AnyHashable: Any]
      ?? [:]
    summaryArgument = text("summaryArgument") ?? ""
    summaryArgumentCount = coder.decodeInteger(forKey: "summaryArgumentCount")
    targetContentIdentifier = text("targetContentIdentifier")
    interruptionLevel =
      UNNotificationInterruptionLevel(
        rawValue: UInt(truncatingIfNeeded: coder.decodeInteger(forKey: "interruptionLevel")))
      ?? .active
    relevanceScore = coder.decodeDouble(forKey: "relevanceScore")
    filterCriteria = text("filterCriteria")
  }

  func encode(with coder: NSCoder) {
    coder.encode(attachments as NSArray, forKey: "attachments")
    coder.encode(badge, forKey: "badge")
    coder.encode(body as NSString, forKey: "body")
    coder.encode(categoryIdentifier as NSString, forKey: "categoryIdentifier")
    coder.encode(launchImageName as NSString, forKey: "launchImageName")
    coder.encode(sound, forKey: "sound")
    coder.encode(subtitle as NSString, forKey: "subtitle")
    coder.encode(threadIdentifier as NSString, forKey: "threadIdentifier")
    coder.encode(title as NSString, forKey: "title")
    coder.encode(userInfo as NSDictionary, forKey: "userInfo")
    coder.encode(summaryArgument as NSString, forKey: "summaryArgument")
    coder.encode(summaryArgumentCount, forKey: "summaryArgumentCount")
    coder.encode(targetContentIdentifier as NSString?, forKey: "targetContentIdentifier")
    coder.encode(Int(interruptionLevel.rawValue), forKey: "interruptionLevel")
    coder.encode(relevanceScore, forKey: "relevanceScore")
    coder.encode(filterCriteria as NSString?, forKey: "filterCriteria")
  }
}
