import Foundation

/// The fields of an action, shared by its immutable and mutable classes.
struct UserNotificationActionFields {
  var identifier: String?
  var title: String?
  var behavior = UIUserNotificationActionBehavior.default
  var parameters: [AnyHashable: Any] = [:]
  var activationMode = UIUserNotificationActivationMode.foreground
  var isAuthenticationRequired = false
  var isDestructive = false

  init() {}

  init(coder: NSCoder) {
    identifier = coder.decodeObject(of: NSString.self, forKey: "identifier") as String?
    title = coder.decodeObject(of: NSString.self, forKey: "title") as String?
    behavior =
      UIUserNotificationActionBehavior(coder.decodeInteger(forKey: "behavior")) ?? .default
    activationMode =
      UIUserNotificationActivationMode(coder.decodeInteger(forKey: "activationMode"))
      ?? .foreground
    isAuthenticationRequired = coder.decodeBool(forKey: "isAuthenticationRequired")
    isDestructive = coder.decodeBool(forKey: "isDestructive")
    parameters =
      coder.decodeObject(
        of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: "parameters")
      as? [AnyHashable: Any] ?? [:]
  }

  func encode(with coder: NSCoder) {
    coder.encode(identifier as NSString?, forKey: "identifier")
    coder.encode(title as NSString?, forKey: "title")
    coder.encode(Int(behavior.rawValue), forKey: "behavior")
    coder.encode(Int(activationMode.rawValue), forKey: "activationMode")
    coder.encode(isAuthenticationRequired, forKey: "isAuthenticationRequired")
    coder.encode(isDestructive, forKey: "isDestructive")
    coder.encode(parameters as NSDictionary, forKey: "parameters")
  }
}

extension UserNotificationActionFields: Equatable {
  static func == (one: UserNotificationActionFields, other: UserNotificationActionFields) -> Bool {
    one.identifier == other.identifier && one.title == other.title
      && one.behavior == other.behavior && one.activationMode == other.activationMode
      && one.isAuthenticationRequired == other.isAuthenticationRequired
      && one.isDestructive == other.isDestructive
      && (one.parameters as NSDictionary).isEqual(other.parameters as NSDictionary)
  }
}

extension RawRepresentable where RawValue == UInt {
  /// Creates a value from an archived number; nil if no case has this number.
  init?(_ number: Int) {
    guard let raw = UInt(exactly: number) else { return nil }
    self.init(rawValue: raw)
  }
}
