/// The limits of the protocols, each with its unit and its reason.
public enum WireLimits {
  /// Bytes of a payload for every HTTP/2 push type except `voip` (apns-protocol 1.6).
  public static let payloadBytesMax = 4_096
  /// Bytes of a `voip` payload or a broadcast (apns-protocol 1.6).
  public static let largePayloadBytesMax = 5_120
  /// Bytes of a payload on the legacy binary interface (apns-protocol 7.3).
  public static let binaryPayloadBytesMax = 2_048
  /// Bytes of a command 2 frame on the legacy interface: more than its items can require.
  public static let binaryFrameBytesMax = 70_000
  /// Bytes, not characters, of an `apns-collapse-id` (apns-protocol 1.4).
  public static let collapseIDBytesMax = 64
  /// Bytes of a device token: the size that the binary interface reserves (apns-protocol 7.1).
  ///
  /// Belfry's tokens have 32 bytes.
  public static let deviceTokenBytesMax = 100
  /// Bytes of a bundle identifier with the suffix of its push type; registration does not accept longer ones.
  public static let topicBytesMax = 255
  /// Bytes of an `authorization` value; the longest value that a known client sends has about 400.
  public static let authorizationBytesMax = 2_048
  /// Bytes of a localized string with its arguments inserted, and bytes of the plural forms that are read for the
  /// string.
  ///
  /// No real string is this long. Without the limit, a format string in a frame of 1 MiB could produce gigabytes.
  public static let filledTextBytesMax = 64 << 10
  /// Nesting depth of plural forms: real strings have one or two levels, and the limit breaks cycles.
  public static let pluralDepthMax = 4
  /// The longest storage time of a notification in days (apns-protocol section 4).
  public static let storageDaysMax = 30
  /// The maximum difference between a provider token's `iat` and the gateway's clock, in seconds (apns-protocol 2.1).
  public static let providerTokenAgeSecondsMax: Int64 = 3_600
  /// The minimum time between two provider tokens on the same connection, in seconds (apns-protocol 2.1).
  public static let providerTokenRefreshSecondsMin: Int64 = 1_200
  /// Nesting depth of objects in a strings file: an entry, its variables, and a safety margin.
  public static let stringsDepthMax = 8
}
