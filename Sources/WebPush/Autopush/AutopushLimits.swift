/// The limits of autopush's WebSocket, each with its unit and its reason.
public enum AutopushLimits {
  /// The subprotocol that Firefox offers.
  public static let subprotocol: StaticString = "push-notification"
  /// The maximum number of bytes in a message of a client.
  ///
  /// The longest message is a `hello` with the `channelIDs` of an older client: 39 bytes each, so about 400 of them fit.
  /// Anyone can make the service keep a message of this size until the `hello` must be complete.
  public static let messageBytesMax = 16_384
  /// The maximum depth of arrays and objects in a message; real messages have a depth of 3.
  public static let depthMax = 8
  /// Nanoseconds from the opening of the WebSocket to `hello`, as at Mozilla's service.
  public static let helloNanoseconds: Int64 = 5_000_000_000
  /// Nanoseconds in which the gateway must decide on a client after `hello`, for example while its store is slow.
  public static let identificationNanoseconds: Int64 = 30_000_000_000
  /// Nanoseconds from the first byte of a message to its last, as for a request to the Web Push service.
  public static let messageNanoseconds: Int64 = 15_000_000_000
  /// Nanoseconds in which a client must read at least a part of the output that it has left unread.
  public static let unreadNanoseconds: Int64 = 20_000_000_000
  /// Nanoseconds of silence after which the service sends a Ping frame, as at Mozilla's service.
  public static let pingNanoseconds: Int64 = 300_000_000_000
  /// Nanoseconds in which the client must answer a Ping frame.
  ///
  /// Mozilla's service waits for 4 seconds, which is too short for a phone that has to wake up its radio.
  public static let pongNanoseconds: Int64 = 20_000_000_000
  /// Nanoseconds in which the client must acknowledge at least one of its messages, as for every other device.
  ///
  /// The messages remain in the store and are sent again when the client reconnects.
  public static let unacknowledgedNanoseconds: Int64 = 180_000_000_000
  /// The minimum number of nanoseconds between two pings of a client, as at Mozilla's service.
  public static let clientPingNanoseconds: Int64 = 45_000_000_000
  /// The maximum number of unacknowledged messages, as at Mozilla's service.
  public static let window = 10
  /// The maximum number of a client's requests that have not been answered; Firefox sends them one after another.
  public static let requestsMax = 64
  /// The maximum number of broadcasts in a request; Firefox subscribes to one.
  public static let broadcastsMax = 64
}
