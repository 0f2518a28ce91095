internal import BelfryWire

/// A request from a client: a push, a broadcast, a channel request, or a Web Push message.
enum ServiceRequest: Sendable {
  case push(Push)
  case broadcast(BroadcastPush)
  case channel(ChannelOrder)
  case webPush(WebPushPost)

  /// The payload, the channel's configuration, or the encrypted message.
  var body: [UInt8] {
    switch self {
    case .push(let push): push.payload
    case .broadcast(let broadcast): broadcast.payload
    case .channel(let request): request.body
    case .webPush(let post): post.body
    }
  }

  /// The maximum number of bytes of the response's body that the client retains.
  var answerBytesMax: Int {
    switch self {
    case .push, .broadcast, .webPush: Limits.answerBytesMax
    case .channel: Limits.channelListBytesMax
    }
  }

  /// Returns the header fields, pseudo-header fields first.
  func fields(authority: String, authorization: String?) -> [(name: String, value: String)] {
    switch self {
    case .push(let push): return push.fields(authority: authority, authorization: authorization)
    case .broadcast(let broadcast):
      return Self.fields("POST", broadcast.path, authority, authorization) + broadcast.fields
    case .channel(let request):
      return Self.fields(request.method, request.path, authority, authorization) + request.fields
    case .webPush(let post):
      // The token of a Web Push sender names the service, so it is a field of the message.
      assert(authorization == nil, "a client of a Web Push service has no provider key")
      return Self.fields("POST", post.path, authority, nil) + post.fields
    }
  }

  private static func fields(
    _ method: String, _ path: String, _ authority: String, _ authorization: String?
  ) -> [(name: String, value: String)] {
    assert(path.first == "/", "a path is absolute")
    return [
      (":method", method), (":scheme", "https"), (":authority", authority), (":path", path),
    ] + (authorization.map { [("authorization", $0)] } ?? [])
  }
}

/// The service's response.
struct ServiceAnswer: Sendable {
  /// The outcome: accepted, or refused with a reason.
  let outcome: PushOutcome
  /// The HTTP status; 0 if the response does not have one.
  let status: Int
  /// The number of seconds in the `retry-after` header of the response.
  let retryAfterSeconds: Int64?
  /// The `location` header of the response.
  let location: String?
  /// The number of seconds in the `ttl` header of the response.
  let ttlSeconds: Int64?
  /// The `apns-channel-id` header of the response.
  let channelID: String?
  let body: [UInt8]
}

/// The completion handler of a request, in the form that the kind of caller requires.
enum RequestCompletion: Sendable {
  case outcome(PushCompletion)
  case answer(@Sendable (Result<ServiceAnswer, ProviderFailure>) -> Void)

  func callAsFunction(_ result: Result<ServiceAnswer, ProviderFailure>) {
    switch self {
    case .outcome(let completion): completion(result.map(\.outcome))
    case .answer(let completion): completion(result)
    }
  }
}
