internal import BelfryWire
package import AppWire
internal import BelfryClient
import Foundation

extension ContentFields {
  /// Returns the content in the agent's wire format.
  ///
  /// If `allowsNull` is true, `userInfo` can contain NSNull, which occurs only in pushes.
  ///
  /// - Throws: `UserInfoCoding.Unsuitable` if `userInfo` contains a value that a property list cannot represent.
  package func wire(
    allowsNull: Bool = false
  ) throws(UserInfoCoding.Unsuitable) -> AppWire.NotificationContent {
    var content = NotificationContent()
    content.title = .init(app: title)
    content.subtitle = .init(app: subtitle)
    content.body = .init(app: body)
    content.badge = badge?.int64Value
    content.sound = sound?.choice.wire
    content.category = categoryIdentifier
    content.thread = threadIdentifier
    content.launchImage = launchImageName
    content.attachments = attachments.map(\.wire)
    (content.userInfo, content.archive) = try UserInfoCoding.encode(
      userInfo, allowsNull: allowsNull)
    content.targetContent = targetContentIdentifier
    content.interruptionLevel = .init(interruptionLevel)
    content.relevance = relevanceScore
    content.filterCriteria = filterCriteria
    return content
  }

  /// Creates the content of a scheduled or delivered notification.
  ///
  /// If the notification is a push, its `payload` provides `userInfo`.
  package init(_ content: AppWire.NotificationContent, payload: [UInt8]? = nil) {
    self.init()
    title = content.title.remembered
    subtitle = content.subtitle.remembered
    body = content.body.remembered
    badge = content.badge.map { NSNumber(value: $0) }
    sound = content.sound.map { UNNotificationSound(SoundChoice($0)) }
    categoryIdentifier = content.category
    threadIdentifier = content.thread
    launchImageName = content.launchImage
    attachments = content.attachments.map(UNNotificationAttachment.init)
    // The `userInfo` of a service extension replaces the `userInfo` of the payload.
    if let payload, content.archive == nil {
      userInfo = UserInfoCoding.payload(payload)
    } else {
      userInfo = UserInfoCoding.decode(content.userInfo, archive: content.archive)
    }
    targetContentIdentifier = content.targetContent
    interruptionLevel = .init(content.interruptionLevel)
    relevanceScore = content.relevance
    filterCriteria = content.filterCriteria
  }
}

extension NotificationText {
  /// Creates a notification text from one of the app's strings.
  ///
  /// If the app looked up the string by a key, the text includes the key and its arguments.
  package init(app text: String) {
    if let source = LocalizedTexts.shared.source(of: text) {
      self.init(key: source.key, arguments: source.arguments, text: text)
    } else {
      self.init(text)
    }
  }

  /// The string for the app.
  ///
  /// This property records the key and arguments of the text. If the app uses the same string in another notification,
  /// the new notification text has the same key.
  package var remembered: String {
    if let key { LocalizedTexts.shared.remember(text, .init(key: key, arguments: arguments)) }
    return text
  }
}

extension SoundChoice {
  package var wire: AppWire.NotificationSound {
    .init(
      name: name, isCritical: isCritical, volume: volume.map(Double.init), isRingtone: isRingtone)
  }

  package init(_ sound: AppWire.NotificationSound) {
    self.init(
      name: sound.name, isRingtone: sound.isRingtone, isCritical: sound.isCritical,
      volume: sound.volume.map(Float.init))
  }
}

extension UNNotificationAttachment {
  var wire: AppWire.NotificationAttachment {
    var kept: JSONObject = [:]
    for (key, value) in options {
      guard let key = key as? String else { continue }
      switch value {
      case let value as String: kept[key] = .string(value)
      case let value as NSNumber: kept[key] = .double(value.doubleValue)
      case let value as Bool: kept[key] = .bool(value)
      case let value as Int: kept[key] = .integer(Int64(value))
      case let value as Double: kept[key] = .double(value)
      case let value as CGRect:
        kept[key] = [
          "X": .double(value.minX), "Y": .double(value.minY), "Width": .double(value.width),
          "Height": .double(value.height),
        ]
      case let value as [String: Any]:
        kept[key] = (try? UserInfoCoding.encode(value)).map { .object($0.json) }
      default: break
      }
    }
    return .init(id: identifier, path: url.path, type: type, options: kept)
  }

  convenience init(_ attachment: AppWire.NotificationAttachment) {
    self.init(
      name: attachment.id, url: URL(fileURLWithPath: attachment.path),
      type: attachment.type ?? "public.data",
      options: UserInfoCoding.foundation(attachment.options))
  }
}

extension InterruptionLevel {
  init(_ level: UNNotificationInterruptionLevel) {
    self =
      switch level {
      case .passive: .passive
      case .active: .active
      case .timeSensitive: .timeSensitive
      case .critical: .critical
      }
  }
}

extension UNNotificationInterruptionLevel {
  init(_ level: InterruptionLevel) {
    self =
      switch level {
      case .passive: .passive
      case .active: .active
      case .timeSensitive: .timeSensitive
      case .critical: .critical
      }
  }
}
