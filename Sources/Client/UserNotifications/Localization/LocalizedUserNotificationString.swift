import BelfryClient
public import Foundation

extension NSString {
  /// Returns a string from the app's `Localizable.strings` in the user's language.
  ///
  /// If a notification's content uses the string, the string is looked up again when the notification is shown, so that
  /// the notification follows a change in the user's language.
  public class func localizedUserNotificationString(
    forKey key: String, arguments: [Any]?
  ) -> String {
    let texts = (arguments ?? []).map { "\($0)" }
    return LocalizedTexts.shared.text(forKey: key, arguments: texts)
  }
}
