/// Every bound of the protocols, with its unit and its reason.
public enum WireLimits {
  /// Bytes of a payload on every HTTP/2 push type but `voip` (apns-protocol 1.6).
  public static let payloadBytesMax = 4_096
  /// Bytes of a `voip` payload, and of a broadcast (apns-protocol 1.6).
  public static let largePayloadBytesMax = 5_120
  /// Bytes of a payload on the legacy binary interface (apns-protocol 7.3).
  public static let binaryPayloadBytesMax = 2_048
  /// Bytes of a frame of the legacy interface's command 2: more than its items can need.
  public static let binaryFrameBytesMax = 70_000
  /// Bytes, not characters, of an `apns-collapse-id` (apns-protocol 1.4).
  public static let collapseIDBytesMax = 64
  /// Bytes of a device token: what the binary interface reserves (apns-protocol 7.1); ours have 32.
  public static let deviceTokenBytesMax = 100
  /// Bytes of a bundle identifier with the suffix of its push type; registration accepts no longer one.
  public static let topicBytesMax = 255
  /// Bytes of an `authorization` value; the largest that a known client sends has about 400.
  public static let authorizationBytesMax = 2_048
  /// Bytes of a localised text with its arguments filled in, and of the plural forms that are read for it.
  ///
  /// Far more than anybody reads. A format in a frame of 1 MiB could otherwise ask for gigabytes.
  public static let filledTextBytesMax = 64 << 10
  /// Plural forms inside each other: real texts have one or two levels, and a cycle has to end.
  public static let pluralDepthMax = 4
  /// Days that a notification is stored at most (apns-protocol section 4).
  public static let storageDaysMax = 30
  /// Seconds between a provider token's `iat` and the gateway's clock at most (apns-protocol 2.1).
  public static let providerTokenAgeSecondsMax: Int64 = 3_600
  /// Seconds between two provider tokens of one connection at least (apns-protocol 2.1).
  public static let providerTokenRefreshSecondsMin: Int64 = 1_200
  /// Objects inside each other in a strings file: an entry, its variables, and some to spare.
  public static let stringsDepthMax = 8
}
