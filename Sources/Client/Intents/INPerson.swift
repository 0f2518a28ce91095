public import Foundation

/// The contact address of an `INPerson`.
open class INPersonHandle: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The types of a handle's value.
  public enum HandleType: Int, Sendable {
    /// The app defines the meaning of the value.
    case unknown = 0
    /// The value is an email address.
    case emailAddress = 1
    /// The value is a phone number.
    case phoneNumber = 2
  }

  /// The address, number, or name.
  public let value: String?

  /// The type of the value.
  public let type: HandleType

  /// Creates a handle from a value and its type.
  public init(value: String?, type: HandleType) {
    self.value = value
    self.type = type
  }
}

/// An image of a contact.
open class INImage: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  private let data: Data?
  private let url: URL?

  /// Creates an image from the bytes of a file.
  public init(imageData: Data) {
    data = imageData
    url = nil
  }

  /// Creates an image from the file at a URL.
  public init?(url URL: URL) {
    data = nil
    url = URL
  }

  /// Creates an image from a file in the app's bundle.
  public convenience init(named name: String) {
    let file = Bundle.main.bundleURL.appendingPathComponent(name)
    self.init(imageData: (try? Data(contentsOf: file)) ?? Data())
  }
}

/// A user of a service, such as the sender of a message.
open class INPerson: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The address of the contact.
  public let personHandle: INPersonHandle?

  /// The components of the name.
  public let nameComponents: PersonNameComponents?

  /// The name to show to the user.
  public let displayName: String

  /// The image of the contact; stored, but has no effect.
  public let image: INImage?

  /// The contact's identifier in the device's contacts; stored, but has no effect.
  public let contactIdentifier: String?

  /// The contact's identifier in the app.
  public let customIdentifier: String?

  /// A Boolean value that indicates whether the contact is the app's user.
  public let isMe: Bool

  /// Creates a contact.
  ///
  /// If `displayName` is nil, the display name is formed from the name components or, without them, from the address.
  public init(
    personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?,
    image: INImage?, contactIdentifier: String?, customIdentifier: String?, isMe: Bool = false
  ) {
    self.personHandle = personHandle
    self.nameComponents = nameComponents
    self.displayName =
      displayName ?? nameComponents.map(Self.name) ?? personHandle.value ?? ""
    self.image = image
    self.contactIdentifier = contactIdentifier
    self.customIdentifier = customIdentifier
    self.isMe = isMe
  }

  /// Creates a contact and specifies the kind of its address; the kind is stored, but has no effect.
  public convenience init(
    personHandle: INPersonHandle, nameComponents: PersonNameComponents?, displayName: String?,
    image: INImage?, contactIdentifier: String?, customIdentifier: String?, isMe: Bool = false,
    suggestionType: INPersonSuggestionType
  ) {
    self.init(
      personHandle: personHandle, nameComponents: nameComponents, displayName: displayName,
      image: image, contactIdentifier: contactIdentifier, customIdentifier: customIdentifier,
      isMe: isMe)
  }

  private static func name(_ components: PersonNameComponents) -> String {
    [components.givenName, components.familyName].compactMap { $0 }.joined(separator: " ")
  }
}

/// The kinds of contact addresses.
public enum INPersonSuggestionType: Int, Sendable {
  /// No particular kind of address.
  case none = 0
  /// A profile on a social network.
  case socialProfile = 1
  /// An address for instant messages.
  case instantMessageAddress = 2
}

/// A string that can be spoken.
open class INSpeakableString: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The text to speak.
  public let spokenPhrase: String

  /// Creates a speakable string.
  public init(spokenPhrase: String) { self.spokenPhrase = spokenPhrase }
}
