public import Foundation

extension Locale {
  /// The user's languages as BCP 47 tags, in order of preference.
  ///
  /// The languages are from the agent's settings or, while no agent can be reached, from the environment.
  public static var userPreferredLanguages: [String] {
    let session = AgentSession.shared
    if session.welcome == nil, !session.isUnreachable {
      _ = session.connect(waitingMilliseconds: Limits.propertyMilliseconds)
    }
    return session.languages
  }

  /// The user's languages as BCP 47 tags, in order of preference.
  ///
  /// This property has the same name as a Foundation property, whose value is constant on Linux. A file that also
  /// imports Foundation gets Foundation's property; use ``userPreferredLanguages`` there instead.
  @_disfavoredOverload
  public static var preferredLanguages: [String] { userPreferredLanguages }
}

extension NSLocale {
  /// The user's languages as BCP 47 tags, in order of preference.
  ///
  /// This property has the same name as a Foundation property, whose value is constant on Linux. A file that also
  /// imports Foundation gets Foundation's property; use `Locale.userPreferredLanguages` there instead.
  @_disfavoredOverload
  public class var preferredLanguages: [String] { Locale.userPreferredLanguages }
}
