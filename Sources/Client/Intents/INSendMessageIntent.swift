import BelfryClient
public import Foundation
public import UserNotifications

/// What kind of message.
public enum INOutgoingMessageType: Int, Sendable {
  /// Not said.
  case unknown = 0
  /// Words.
  case outgoingMessageText = 1
  /// Sound.
  case outgoingMessageAudio = 2
}

/// A message that somebody sends: it can lend its content to a notification.
open class INSendMessageIntent: INIntent, UNNotificationContentProviding, @unchecked Sendable {
  /// To whom; nil or empty for the app's user alone.
  public let recipients: [INPerson]?

  /// What kind of message.
  public let outgoingMessageType: INOutgoingMessageType

  /// The words.
  public let content: String?

  /// The group's name.
  public let speakableGroupName: INSpeakableString?

  /// Which conversation.
  public let conversationIdentifier: String?

  /// Which service carries it.
  public let serviceName: String?

  /// From whom.
  public let sender: INPerson?

  /// Files that go with it; kept, without effect.
  public let attachments: [INSendMessageAttachment]?

  /// A message.
  public init(
    recipients: [INPerson]?, outgoingMessageType: INOutgoingMessageType, content: String?,
    speakableGroupName: INSpeakableString?, conversationIdentifier: String?, serviceName: String?,
    sender: INPerson?, attachments: [INSendMessageAttachment]? = nil
  ) {
    self.recipients = recipients
    self.outgoingMessageType = outgoingMessageType
    self.content = content
    self.speakableGroupName = speakableGroupName
    self.conversationIdentifier = conversationIdentifier
    self.serviceName = serviceName
    self.sender = sender
    self.attachments = attachments
  }

  /// Gives a picture to a part of the intent; kept nowhere.
  open func setImage<Value>(
    _ image: INImage?, forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>
  ) {}
}

/// A file of a message.
open class INSendMessageAttachment: NSObject, @unchecked Sendable {}

extension INSendMessageIntent: ContentProviding {
  /// The sender's name is the title, the group's the second line, and a conversation is a thread.
  package func provide(_ fields: inout ContentFields) throws {
    guard let sender, !sender.displayName.isEmpty else {
      throw UNError.because(.contentProvidingInvalid)
    }
    fields.title = sender.displayName
    if let group = speakableGroupName?.spokenPhrase, !group.isEmpty { fields.subtitle = group }
    if let conversationIdentifier, fields.threadIdentifier.isEmpty {
      fields.threadIdentifier = conversationIdentifier
    }
  }
}
