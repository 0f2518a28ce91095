/// A provider's connection, of whichever interface, as its loop knows it.
protocol ProviderPeer: AnyObject {
  /// Names the connection in ``ReplyRoute``.
  var number: UInt64 { get }
  /// Takes the outcome of a request.
  func answer(_ stream: Int32, _ answer: ProviderAnswer)
  /// Stops taking requests; what is open is still answered.
  func drain()
  /// Ends the connection at once.
  func close()
}
