import BelfryClient
public import Foundation
public import UserNotifications

/// The type of an outgoing message.
public enum INOutgoingMessageType: Int, Sendable {
  /// Unknown.
  case unknown = 0
  /// A text.
  case outgoingMessageText = 1
  /// A recording.
  case outgoingMessageAudio = 2
}

/// A request to send a message; a notification can be updated from it.
open class INSendMessageIntent: INIntent, UNNotificationContentProviding, @unchecked Sendable {
  /// The recipients; nil or empty for the app's user alone.
  public let recipients: [INPerson]?

  /// The message's type.
  public let outgoingMessageType: INOutgoingMessageType

  /// The message's text.
  public let content: String?

  /// The group's name.
  public let speakableGroupName: INSpeakableString?

  /// The conversation's identifier.
  public let conversationIdentifier: String?

  /// The name of the messaging service.
  public let serviceName: String?

  /// The sender.
  public let sender: INPerson?

  /// Metadata of a donated message; stored without effect.
  open var donationMetadata: INIntentDonationMetadata?

  /// The message's files; stored without effect.
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

  /// Sets the image of a parameter; without effect.
  open func setImage<Value>(
    _ image: INImage?, forParameterNamed parameterName: KeyPath<INSendMessageIntent, Value>
  ) {}
}

/// A file of a message.
open class INSendMessageAttachment: NSObject, @unchecked Sendable {}

extension INSendMessageIntent: ContentProviding {
  /// Sets the title to the sender's name, the subtitle to the group's, and the thread to the conversation.
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

/// Metadata of a donated intent.
open class INIntentDonationMetadata: NSObject, @unchecked Sendable {}

/// Metadata of a donated message.
open class INSendMessageIntentDonationMetadata: INIntentDonationMetadata, @unchecked Sendable {
  // Sendable: the properties are set before the intent is handed over.

  /// Whether the message names the user.
  open var mentionsCurrentUser = false

  /// Whether the message answers one of the user's.
  open var isReplyToCurrentUser = false

  /// Whether the recipient is told in spite of a focus.
  open var notifyRecipientAnyway = false

  /// The number of recipients.
  open var recipientCount = 0

  /// Nothing is known.
  public override init() { super.init() }
}
