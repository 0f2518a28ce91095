import BelfryClient
public import Foundation
public import UserNotifications

/// The types of outgoing messages.
public enum INOutgoingMessageType: Int, Sendable {
  /// The type is unknown.
  case unknown = 0
  /// A message with text.
  case outgoingMessageText = 1
  /// A message with recorded audio.
  case outgoingMessageAudio = 2
}

/// A request to send a message, which can update the content of a notification.
open class INSendMessageIntent: INIntent, UNNotificationContentProviding, @unchecked Sendable {
  /// The recipients; nil or empty if the app's user is the only recipient.
  public let recipients: [INPerson]?

  /// The type of the message.
  public let outgoingMessageType: INOutgoingMessageType

  /// The text of the message.
  public let content: String?

  /// The name of the group.
  public let speakableGroupName: INSpeakableString?

  /// The identifier of the conversation.
  public let conversationIdentifier: String?

  /// The name of the messaging service.
  public let serviceName: String?

  /// The sender of the message.
  public let sender: INPerson?

  /// The metadata of a donated message; stored, but has no effect.
  open var donationMetadata: INIntentDonationMetadata?

  /// The files that are attached to the message; stored, but has no effect.
  public let attachments: [INSendMessageAttachment]?

  /// Creates an intent for a message.
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

  /// Sets the image of a parameter; has no effect on this system.
  open func setImage<Value>(
    _ image: INImage?, forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>
  ) {}
}

/// A file that is attached to a message.
open class INSendMessageAttachment: NSObject, @unchecked Sendable {}

extension INSendMessageIntent: ContentProviding {
  /// Sets the title to the sender's name and the subtitle to the group's name.
  ///
  /// The conversation's identifier becomes the thread identifier, unless the notification already has one.
  ///
  /// - Throws: `UNError` if the sender has no name.
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

/// The metadata of a donated intent.
open class INIntentDonationMetadata: NSObject, @unchecked Sendable {}

/// The metadata of a donated message.
open class INSendMessageIntentDonationMetadata: INIntentDonationMetadata, @unchecked Sendable {
  // Sendable: the properties are set before the intent is passed to other code.

  /// A Boolean value that indicates whether the message mentions the user.
  open var mentionsCurrentUser = false

  /// A Boolean value that indicates whether the message is a reply to one of the user's messages.
  open var isReplyToCurrentUser = false

  /// A Boolean value that indicates whether the recipient is notified despite a Focus.
  open var notifyRecipientAnyway = false

  /// The number of recipients, without the sender; stored, but has no effect.
  open var recipientCount = 0

  /// Creates metadata with default values.
  public override init() { super.init() }
}
