public import Foundation

// Foundation's function in each of its forms. Those with fewer parameters win over Foundation's own
// also in a file that imports Foundation besides; the whole form does in files that import one of
// Belfry's modules alone.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key in the languages chosen on the device; the key where there is none.
public func NSLocalizedString(_ key: String, comment: String) -> String {
  Bundle.main.text(forKey: key, value: nil, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a table.
public func NSLocalizedString(_ key: String, tableName: String?, comment: String) -> String {
  Bundle.main.text(forKey: key, value: nil, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a bundle.
public func NSLocalizedString(_ key: String, bundle: Bundle, comment: String) -> String {
  bundle.text(forKey: key, value: nil, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key; the value where there is none.
public func NSLocalizedString(_ key: String, value: String, comment: String) -> String {
  Bundle.main.text(forKey: key, value: value, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a table of a bundle.
public func NSLocalizedString(
  _ key: String, tableName: String?, bundle: Bundle, comment: String
) -> String {
  bundle.text(forKey: key, value: nil, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a table; the value where there is none.
public func NSLocalizedString(
  _ key: String, tableName: String?, value: String, comment: String
) -> String {
  Bundle.main.text(forKey: key, value: value, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a bundle; the value where there is none.
public func NSLocalizedString(
  _ key: String, bundle: Bundle, value: String, comment: String
) -> String {
  bundle.text(forKey: key, value: value, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The text for a key of a table of a bundle; the value where there is none.
@_disfavoredOverload
public func NSLocalizedString(
  _ key: String, tableName: String?, bundle: Bundle, value: String, comment: String
) -> String {
  bundle.text(forKey: key, value: value, table: tableName)
}

extension Bundle {
  /// The text for a key in the languages chosen on the device, then Foundation's own find.
  func text(forKey key: String, value: String?, table: String?) -> String {
    BundleTexts.shared.text(forKey: key, table: table, of: self)
      ?? Foundation.NSLocalizedString(
        key, tableName: table, bundle: self, value: value ?? "", comment: "")
  }

  /// The text for a key in the languages chosen on the device; without a text the value, and
  /// without that the key.
  ///
  /// A file that imports Foundation besides gets Foundation's own answer, which knows no chosen
  /// languages; ``NSLocalizedString(_:comment:)`` is right in every file.
  @_disfavoredOverload
  public func localizedString(forKey key: String, value: String?, table: String?) -> String {
    text(forKey: key, value: value, table: table)
  }
}
