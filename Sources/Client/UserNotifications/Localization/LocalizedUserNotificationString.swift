import BelfryClient
public import Foundation

extension NSString {
  /// A text of the app's `Localizable.strings` in the user's language.
  ///
  /// Used in a notification's content it is looked up again when the notification is shown, so
  /// that it follows a change of language until then.
  public class func localizedUserNotificationString(
    forKey key: String, arguments: [Any]?
  ) -> String {
    let texts = (arguments ?? []).map { "\($0)" }
    return LocalizedTexts.shared.text(forKey: key, arguments: texts)
  }
}
