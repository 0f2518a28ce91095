public import Foundation

// These functions mirror each variant of Foundation's function. The variants with fewer parameters take precedence over
// Foundation's function, even in a file that also imports Foundation. The full variant takes precedence only in files
// that import just one of Belfry's modules.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in the user's languages, or the key itself if no string is found.
public func NSLocalizedString(_ key: String, comment: String) -> String {
  Bundle.main.text(forKey: key, value: nil, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a table.
public func NSLocalizedString(_ key: String, tableName: String?, comment: String) -> String {
  Bundle.main.text(forKey: key, value: nil, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a bundle.
public func NSLocalizedString(_ key: String, bundle: Bundle, comment: String) -> String {
  bundle.text(forKey: key, value: nil, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key, or the value if no string is found.
public func NSLocalizedString(_ key: String, value: String, comment: String) -> String {
  Bundle.main.text(forKey: key, value: value, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a table of a bundle.
public func NSLocalizedString(
  _ key: String, tableName: String?, bundle: Bundle, comment: String
) -> String {
  bundle.text(forKey: key, value: nil, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a table, or the value if no string is found.
public func NSLocalizedString(
  _ key: String, tableName: String?, value: String, comment: String
) -> String {
  Bundle.main.text(forKey: key, value: value, table: tableName)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a bundle, or the value if no string is found.
public func NSLocalizedString(
  _ key: String, bundle: Bundle, value: String, comment: String
) -> String {
  bundle.text(forKey: key, value: value, table: nil)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the localized string for a key in a table of a bundle, or the value if no string is found.
@_disfavoredOverload
public func NSLocalizedString(
  _ key: String, tableName: String?, bundle: Bundle, value: String, comment: String
) -> String {
  bundle.text(forKey: key, value: value, table: tableName)
}

extension Bundle {
  /// Returns the localized string for a key in the user's languages; falls back to Foundation's lookup.
  func text(forKey key: String, value: String?, table: String?) -> String {
    BundleTexts.shared.text(forKey: key, table: table, of: self)
      ?? Foundation.NSLocalizedString(
        key, tableName: table, bundle: self, value: value ?? "", comment: "")
  }

  /// Returns the localized string for a key in the user's languages; falls back to the given value, and then to the
  /// key.
  ///
  /// A file that also imports Foundation gets Foundation's method, which ignores the user's languages;
  /// ``NSLocalizedString(_:comment:)`` works in every file.
  @_disfavoredOverload
  public func localizedString(forKey key: String, value: String?, table: String?) -> String {
    text(forKey: key, value: value, table: table)
  }
}
