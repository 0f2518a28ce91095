/// A provider's connection on any interface, as its loop uses it.
protocol ProviderPeer: AnyObject {
  /// The number that identifies the connection in ``ReplyAddress``.
  var number: UInt64 { get }
  /// The connection's unanswered pushes.
  var load: ProviderLoad { get }
  /// Answers a submitted push; ``load`` has already stopped counting it.
  func answer(_ stream: Int32, _ answer: ProviderAnswer)
  /// Stops accepting requests; open ones are still answered.
  func drain()
  /// Closes the connection immediately.
  func close()
}
