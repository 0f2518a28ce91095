public import Foundation

extension NSString {
  /// Returns a string created from a format with the current locale's number formatting.
  ///
  /// Foundation on Linux has this method only for `String`.
  public class func localizedStringWithFormat(
    _ format: NSString, _ arguments: any CVarArg...
  ) -> NSString {
    NSString(string: String.filled(format as String, .current, arguments))
  }
}
