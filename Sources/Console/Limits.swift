/// The limits of a console's sessions, each with its unit and its reason.
enum Limits {
  /// The maximum number of simultaneous sessions: enough for the browsers of a few administrators.
  ///
  /// When the limit is reached, a new session replaces the oldest.
  static let sessions = 64
  /// The duration of a session, in nanoseconds: one working day, so that the token is requested only once per day.
  static let sessionNanoseconds: Int64 = 12 * 3_600_000_000_000
  /// The time, in nanoseconds, within which a link from `belfry console` must be opened.
  static let linkNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of simultaneous unused links; when the limit is reached, a new link replaces the oldest.
  static let links = 16
}
