public import Foundation

/// A way to reach a person.
open class INPersonHandle: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The type of the value.
  public enum HandleType: Int, Sendable {
    /// A value of the app's own.
    case unknown = 0
    /// An e-mail address.
    case emailAddress = 1
    /// A telephone number.
    case phoneNumber = 2
  }

  /// The address, number or name.
  public let value: String?

  /// The type of the value.
  public let type: HandleType

  /// Creates a handle from a value and its type.
  public init(value: String?, type: HandleType) {
    self.value = value
    self.type = type
  }
}

/// An image.
open class INImage: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  private let data: Data?
  private let url: URL?

  /// Creates an image from its bytes.
  public init(imageData: Data) {
    data = imageData
    url = nil
  }

  /// Creates an image from its file.
  public init?(url URL: URL) {
    data = nil
    url = URL
  }

  /// Creates an image from a file of the app's bundle.
  public convenience init(named name: String) {
    let file = Bundle.main.bundleURL.appendingPathComponent(name)
    self.init(imageData: (try? Data(contentsOf: file)) ?? Data())
  }
}

/// A person.
open class INPerson: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The way to reach the person.
  public let personHandle: INPersonHandle?

  /// The name's parts.
  public let nameComponents: PersonNameComponents?

  /// The name for people.
  public let displayName: String

  /// The person's image; stored without effect.
  public let image: INImage?

  /// The person's identifier in the contacts; stored without effect.
  public let contactIdentifier: String?

  /// The person's identifier in the app.
  public let customIdentifier: String?

  /// Whether the person is the app's user.
  public let isMe: Bool

  /// Creates a person.
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

  /// Creates a person with the kind of its address; the kind is stored without effect.
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

/// The kind of a person's address.
public enum INPersonSuggestionType: Int, Sendable {
  /// None.
  case none = 0
  /// A social network's profile.
  case socialProfile = 1
  /// An address for messages.
  case instantMessageAddress = 2
}

/// A text that can be spoken.
open class INSpeakableString: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The text.
  public let spokenPhrase: String

  /// Creates a speakable text.
  public init(spokenPhrase: String) { self.spokenPhrase = spokenPhrase }
}
