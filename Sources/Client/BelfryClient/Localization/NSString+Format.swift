public import Foundation

extension NSString {
  /// A format filled in as the current locale writes numbers, which Foundation on Linux has for
  /// `String` alone.
  public class func localizedStringWithFormat(
    _ format: NSString, _ arguments: any CVarArg...
  ) -> NSString {
    NSString(string: String.filled(format as String, .current, arguments))
  }
}
