/// A connection's requests for lists of channels, which are answered one after the other as they are read: each
/// is a few bytes, and its answer hundreds of thousands.
struct ListRequests {
  /// Not asked for yet, in the order of their arrival; a connection has as many as its streams.
  private var waiting: [ChannelRequest] = []
  /// Whether one is being answered.
  private var isAsking = false

  /// Bytes of a connection's output up to which the next list is asked for.
  static let unsentBytesMax = Limits.providerOutputShareBytes

  mutating func append(_ request: ChannelRequest) { waiting.append(request) }

  /// The request that is asked for now; those whose stream has ended are passed over.
  mutating func next(
    unsentBytes: Int, holdsBody: Bool, isOpen: (Int32) -> Bool
  ) -> ChannelRequest? {
    guard !isAsking, !waiting.isEmpty, !holdsBody, unsentBytes <= Self.unsentBytesMax else {
      return nil
    }
    guard let index = waiting.firstIndex(where: { isOpen($0.stream) }) else {
      waiting.removeAll()
      return nil
    }
    let next = waiting[index]
    waiting.removeSubrange(...index)
    isAsking = true
    return next
  }

  /// The one that was asked for has its answer.
  mutating func answered() {
    assert(isAsking, "a list comes that was not asked for")
    isAsking = false
  }
}
