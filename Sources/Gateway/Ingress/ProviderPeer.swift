/// A provider's connection on any interface, as its loop sees it.
protocol ProviderPeer: AnyObject {
  /// Names the connection in ``ReplyRoute``.
  var number: UInt64 { get }
  /// Answers a request.
  func answer(_ stream: Int32, _ answer: ProviderAnswer)
  /// Stops accepting requests; open ones are still answered.
  func drain()
  /// Ends the connection at once.
  func close()
}
