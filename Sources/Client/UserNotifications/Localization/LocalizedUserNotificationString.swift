import BelfryClient
public import Foundation

extension NSString {
  /// Returns a text from the app's `Localizable.strings` in the user's language.
  ///
  /// If a notification's content uses the text, the text is looked up again when the notification is shown, so that it
  /// follows a change of the user's language.
  public class func localizedUserNotificationString(
    forKey key: String, arguments: [Any]?
  ) -> String {
    let texts = (arguments ?? []).map { "\($0)" }
    return LocalizedTexts.shared.text(forKey: key, arguments: texts)
  }
}
