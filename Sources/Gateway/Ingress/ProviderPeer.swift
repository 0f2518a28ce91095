/// A provider's connection on any interface, as its loop sees it.
protocol ProviderPeer: AnyObject {
  /// Names the connection in ``ReplyRoute``.
  var number: UInt64 { get }
  /// Its pushes that wait for their answer.
  var load: ProviderLoad { get }
  /// Answers a push that was submitted, which ``load`` counts no more.
  func answer(_ stream: Int32, _ answer: ProviderAnswer)
  /// Stops accepting requests; open ones are still answered.
  func drain()
  /// Ends the connection at once.
  func close()
}
