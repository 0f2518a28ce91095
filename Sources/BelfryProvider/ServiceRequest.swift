internal import BelfryWire

/// A request from a client: a push, a broadcast, or a channel request.
enum ServiceRequest: Sendable {
  case push(Push)
  case broadcast(BroadcastPush)
  case channel(ChannelOrder)

  /// The payload, or the channel's configuration.
  var body: [UInt8] {
    switch self {
    case .push(let push): push.payload
    case .broadcast(let broadcast): broadcast.payload
    case .channel(let request): request.body
    }
  }

  /// The maximum number of bytes of the response's body that the client retains.
  var answerBytesMax: Int {
    switch self {
    case .push, .broadcast: Limits.answerBytesMax
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
