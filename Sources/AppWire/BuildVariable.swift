/// A variable in a value of an app's `Info.plist`, such as `$(PRODUCT_NAME)`, which Xcode replaces in a build.
///
/// SwiftPM does not replace these variables, so a value that contains one is not the app's own.
package enum BuildVariable {
  /// Returns true if a value contains a variable.
  package static func isContained(in value: String) -> Bool {
    zip(value.utf8, value.utf8.dropFirst()).contains { first, second in
      first == UInt8(ascii: "$") && (second == UInt8(ascii: "(") || second == UInt8(ascii: "{"))
    }
  }
}
