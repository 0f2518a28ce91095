public import Foundation

/// A button that prompts the user for text.
open class UNTextInputNotificationAction: UNNotificationAction, @unchecked Sendable {
  // Sendable: every stored property is a constant.

  /// The title of the button that sends the text.
  public let textInputButtonTitle: String

  /// The placeholder of the empty text field.
  public let textInputPlaceholder: String

  /// Creates an action without an icon.
  public convenience init(
    identifier: String, title: String, options: UNNotificationActionOptions = [],
    textInputButtonTitle: String, textInputPlaceholder: String
  ) {
    self.init(
      identifier: identifier, title: title, options: options, icon: nil,
      textInputButtonTitle: textInputButtonTitle, textInputPlaceholder: textInputPlaceholder)
  }

  /// Creates an action with an icon.
  public init(
    identifier: String, title: String, options: UNNotificationActionOptions = [],
    icon: UNNotificationActionIcon?, textInputButtonTitle: String, textInputPlaceholder: String
  ) {
    self.textInputButtonTitle = textInputButtonTitle
    self.textInputPlaceholder = textInputPlaceholder
    super.init(identifier: identifier, title: title, options: options, icon: icon)
  }

  /// Creates an action whose text field and button use the system's strings.
  public convenience override init(
    identifier: String, title: String, options: UNNotificationActionOptions = [],
    icon: UNNotificationActionIcon?
  ) {
    self.init(
      identifier: identifier, title: title, options: options, icon: icon,
      textInputButtonTitle: "", textInputPlaceholder: "")
  }

  /// Returns whether all fields of the other action are equal to those of this one.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UNTextInputNotificationAction else { return false }
    return super.isEqual(other) && textInputButtonTitle == other.textInputButtonTitle
      && textInputPlaceholder == other.textInputPlaceholder
  }

  /// Creates an action from an archive; nil if the archive does not contain one.
  public required init?(coder: NSCoder) {
    textInputButtonTitle =
      coder.decodeObject(of: NSString.self, forKey: "textInputButtonTitle") as String? ?? ""
    textInputPlaceholder =
      coder.decodeObject(of: NSString.self, forKey: "textInputPlaceholder") as String? ?? ""
    super.init(coder: coder)
  }

  /// Writes the action to an archive.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(textInputButtonTitle as NSString, forKey: "textInputButtonTitle")
    coder.encode(textInputPlaceholder as NSString, forKey: "textInputPlaceholder")
  }
}
