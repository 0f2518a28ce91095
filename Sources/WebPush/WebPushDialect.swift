/// The push service whose statuses, bodies and extra rules the responses follow.
public enum WebPushDialect: String, CaseIterable, Sendable {
  /// RFC 8030 and RFC 8292: 401 for a missing credential, and 403 for an invalid credential.
  case rfc
  /// Mozilla's autopush: 401 for every fault of a credential.
  case autopush
  /// Apple's service: 403 for every fault of a credential, bodies that contain only `reason`, and stricter rules.
  case apple
}
