import Foundation

/// The descriptions of objects in the format of Apple's systems: the class, the address, and the fields.
enum ObjectDescription {
  /// Returns the class, the address, and the fields, as in `<Class: 0x1234; field: value, other: value>`.
  static func make(_ object: AnyObject, _ fields: [(String, Any?)]) -> String {
    let address = String(UInt(bitPattern: ObjectIdentifier(object).hashValue), radix: 16)
    let text = fields.map { "\($0.0): \(value($0.1))" }.joined(separator: ", ")
    return "<\(type(of: object)): 0x\(address); \(text)>"
  }

  /// Returns the descriptions of several objects, one per line.
  static func list(_ values: [Any]) -> String {
    values.isEmpty
      ? "(\n)" : "(\n" + values.map { "    \(value($0))" }.joined(separator: ",\n") + "\n)"
  }

  private static func value(_ value: Any?) -> String {
    guard let value else { return "(null)" }
    // `value as? Bool` would also accept a number, so compare the type.
    if type(of: value) == Bool.self { return value as? Bool == true ? "YES" : "NO" }
    if let value = value as? any RawRepresentable<UInt> { return "\(value.rawValue)" }
    return (value as? NSObject)?.description ?? "\(value)"
  }
}

extension UNNotificationSetting {
  var word: String {
    switch self {
    case .notSupported: "NotSupported"
    case .disabled: "Disabled"
    case .enabled: "Enabled"
    }
  }
}

extension UNAuthorizationStatus {
  var word: String {
    switch self {
    case .notDetermined: "NotDetermined"
    case .denied: "Denied"
    case .authorized: "Authorized"
    case .provisional: "Provisional"
    case .ephemeral: "Ephemeral"
    }
  }
}

extension UNAlertStyle {
  var word: String {
    switch self {
    case .none: "None"
    case .banner: "Banner"
    case .alert: "Alert"
    }
  }
}

extension UNShowPreviewsSetting {
  var word: String {
    switch self {
    case .always: "Always"
    case .whenAuthenticated: "WhenAuthenticated"
    case .never: "Never"
    }
  }
}

extension UNNotificationActionOptions {
  var words: String {
    let names: [(Self, String)] = [
      (.authenticationRequired, "authenticationRequired"), (.destructive, "destructive"),
      (.foreground, "foreground"),
    ]
    return "(" + names.compactMap { contains($0.0) ? $0.1 : nil }.joined(separator: ", ") + ")"
  }
}

extension UNNotificationCategoryOptions {
  var words: String {
    let names: [(Self, String)] = [
      (.customDismissAction, "customDismissAction"), (.allowInCarPlay, "allowInCarPlay"),
      (.hiddenPreviewsShowTitle, "hiddenPreviewsShowTitle"),
      (.hiddenPreviewsShowSubtitle, "hiddenPreviewsShowSubtitle"),
    ]
    return "(" + names.compactMap { contains($0.0) ? $0.1 : nil }.joined(separator: ", ") + ")"
  }
}
