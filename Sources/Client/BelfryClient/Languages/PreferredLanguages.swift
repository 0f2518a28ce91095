public import Foundation

extension Locale {
  /// The user's languages as BCP 47 tags, the most wanted first: those of the agent's settings, or
  /// of the environment while no agent can be reached.
  public static var userPreferredLanguages: [String] {
    let session = AgentSession.shared
    if session.welcome == nil, !session.isUnreachable {
      _ = session.connect(waitingMilliseconds: Limits.propertyMilliseconds)
    }
    return session.languages
  }

  /// The same, in the place where Foundation on Linux has one fixed answer.
  ///
  /// A file that imports Foundation besides gets Foundation's answer, and uses
  /// ``userPreferredLanguages`` instead.
  @_disfavoredOverload
  public static var preferredLanguages: [String] { userPreferredLanguages }
}

extension NSLocale {
  /// The user's languages as BCP 47 tags, the most wanted first, in the place where Foundation on
  /// Linux has one fixed answer.
  ///
  /// A file that imports Foundation besides gets Foundation's answer, and uses
  /// ``userPreferredLanguages`` instead.
  @_disfavoredOverload
  public class var preferredLanguages: [String] { Locale.userPreferredLanguages }
}
