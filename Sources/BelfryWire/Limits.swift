/// The limits of the protocols, each with its unit and its reason.
public enum WireLimits {
  /// The maximum number of bytes in a payload for every HTTP/2 push type except `voip` (apns-protocol 1.6).
  public static let payloadBytesMax = 4_096
  /// The maximum number of bytes in a `voip` payload or a broadcast (apns-protocol 1.6).
  public static let largePayloadBytesMax = 5_120
  /// The maximum number of bytes in a payload on the legacy binary interface (apns-protocol 7.3).
  public static let binaryPayloadBytesMax = 2_048
  /// The maximum number of bytes in a command 2 frame on the legacy interface: more than the frame's items can need.
  public static let binaryFrameBytesMax = 70_000
  /// The maximum number of bytes, not characters, in an `apns-collapse-id` (apns-protocol 1.4).
  public static let collapseIDBytesMax = 64
  /// The maximum number of bytes in a device token: the size that the binary interface reserves (apns-protocol 7.1).
  ///
  /// Belfry's tokens have 32 bytes.
  public static let deviceTokenBytesMax = 100
  /// The maximum number of characters in the ID of a Web Push endpoint or message.
  ///
  /// Belfry's IDs have 43 to 107 characters.
  public static let webPushIDBytesMax = 128
  /// The maximum number of bytes in a bundle identifier with the suffix of its push type; registration rejects longer
  /// topics.
  public static let topicBytesMax = 255
  /// The maximum number of bytes in an `authorization` value; known clients send at most about 400 bytes.
  public static let authorizationBytesMax = 2_048
  /// The maximum number of bytes in a localized string with its arguments inserted, and in the plural forms that are
  /// read for the string.
  ///
  /// No real string is this long. Without the limit, a format string in a frame of 1 MiB could produce gigabytes.
  public static let filledTextBytesMax = 64 << 10
  /// The maximum nesting depth of plural forms: real strings have one or two levels, and the limit breaks cycles.
  public static let pluralDepthMax = 4
  /// The maximum storage time of a notification, in days (apns-protocol section 4).
  public static let storageDaysMax = 30
  /// The maximum difference between a provider token's `iat` and the gateway's clock, in seconds (apns-protocol 2.1).
  public static let providerTokenAgeSecondsMax: Int64 = 3_600
  /// The minimum time between two provider tokens on the same connection, in seconds (apns-protocol 2.1).
  public static let providerTokenRefreshSecondsMin: Int64 = 1_200
  /// The maximum nesting depth of objects in a strings file: an entry, its variables, and a safety margin.
  public static let stringsDepthMax = 8
  /// The maximum size of a JSON document, in bytes; frames of the app link contain the longest documents.
  public static let jsonBytesMax = 16 << 20
  /// The maximum nesting depth of arrays and objects; with this limit, recursive parsing fits on a small thread's
  /// stack.
  public static let jsonDepthMax = 64
}
