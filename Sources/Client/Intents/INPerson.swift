public import Foundation

/// How a person is reached.
open class INPersonHandle: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// What the value is.
  public enum HandleType: Int, Sendable {
    /// Something of the app's own.
    case unknown = 0
    /// A mail address.
    case emailAddress = 1
    /// A telephone number.
    case phoneNumber = 2
  }

  /// The address, number or name.
  public let value: String?

  /// What the value is.
  public let type: HandleType

  /// A way to reach a person.
  public init(value: String?, type: HandleType) {
    self.value = value
    self.type = type
  }
}

/// A picture.
open class INImage: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.
  private let data: Data?
  private let url: URL?

  /// A picture's bytes.
  public init(imageData: Data) {
    data = imageData
    url = nil
  }

  /// A picture's file.
  public init?(url URL: URL) {
    data = nil
    url = URL
  }

  /// A picture of the app's bundle.
  public convenience init(named name: String) {
    let file = Bundle.main.bundleURL.appendingPathComponent(name)
    self.init(imageData: (try? Data(contentsOf: file)) ?? Data())
  }
}

/// Somebody.
open class INPerson: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// How the person is reached.
  public let personHandle: INPersonHandle?

  /// The name's parts.
  public let nameComponents: PersonNameComponents?

  /// The name for people.
  public let displayName: String

  /// The person's picture; kept, without effect.
  public let image: INImage?

  /// What the contacts know the person by; kept, without effect.
  public let contactIdentifier: String?

  /// What the app knows the person by.
  public let customIdentifier: String?

  /// Whether it is the app's user.
  public let isMe: Bool

  /// Somebody.
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

  private static func name(_ components: PersonNameComponents) -> String {
    [components.givenName, components.familyName].compactMap { $0 }.joined(separator: " ")
  }
}

/// A text that can be spoken.
open class INSpeakableString: NSObject, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The text.
  public let spokenPhrase: String

  /// A text.
  public init(spokenPhrase: String) { self.spokenPhrase = spokenPhrase }
}
