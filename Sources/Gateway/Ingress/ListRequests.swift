/// A connection's requests for channel lists, which are answered one at a time as the client reads the answers.
///
/// The requests are queued because a request of a few bytes can produce an answer of hundreds of thousands of bytes.
struct ListRequests {
  /// The requests that are still queued, in order of arrival; a connection has at most one request per stream.
  private var waiting: [ChannelRequest] = []
  /// True if a request is being answered.
  private var isAsking = false

  /// The maximum number of unsent bytes on the connection at which the next list is requested.
  static let unsentBytesMax = Limits.providerOutputShareBytes

  mutating func append(_ request: ChannelRequest) { waiting.append(request) }

  /// Returns the next request to make; requests whose streams have closed are skipped.
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

  /// Records that the current request has been answered.
  mutating func answered() {
    assert(isAsking, "an answered list was requested")
    isAsking = false
  }
}
