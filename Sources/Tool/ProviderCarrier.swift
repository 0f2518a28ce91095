import BelfryProvider
import BelfryWire
import Gateway
import Synchronization

/// The connections to an upstream, which a client of `BelfryProvider` manages.
final class ProviderCarrier: UpstreamCarrier {
  /// The maximum number of connections to an upstream with the same credentials.
  ///
  /// A connection carries a thousand pushes at once, so another one is opened only under high load.
  private static let connections = 4
  /// The time, in nanoseconds, for which a push waits for the upstream's answer.
  ///
  /// Senders usually wait for 30 s or longer, and the gateway waits for a shorter time when it stops.
  private static let timeoutNanoseconds: Int64 = 20_000_000_000

  private let client: ProviderClient

  private init(_ access: UpstreamAccess, group: ProviderClientGroup) throws(ProviderFailure) {
    let key = try ProviderKey(
      p8: access.privateKeyPEM, keyID: access.keyID, teamID: access.teamID)
    var policy = RetryPolicy(timeoutNanoseconds: Self.timeoutNanoseconds)
    policy.resendsUnanswered = false
    policy.resendsRefused = false
    policy.connectionAttemptsMax = 1
    client = try ProviderClient(
      .init(
        endpoint: ProviderEndpoint(host: access.host, port: access.port),
        credentials: .token(key), authorityPEM: access.authorityPEM, policy: policy,
        connections: Self.connections),
      group: group)
  }

  /// Returns a factory of carriers, which share a thread that starts with the first carrier.
  static func factory() -> UpstreamCarrierFactory {
    let thread = SharedThread()
    return { access in try ProviderCarrier(access, group: try thread.group()) }
  }

  /// The thread of all carriers of a gateway.
  private final class SharedThread: Sendable {
    private let started = Mutex<ProviderClientGroup?>(nil)

    /// Returns the thread, which the first call starts.
    func group() throws(ProviderFailure) -> ProviderClientGroup {
      try started.withLock { started throws(ProviderFailure) in
        if let started { return started }
        let group = try ProviderClientGroup(name: "relay")
        started = group
        return group
      }
    }
  }

  var state: UpstreamState {
    switch client.connection {
    case .idle, .ended: .idle
    case .connecting: .connecting
    case .connected: .connected
    case .failed(let reason): .failed(reason: reason)
    }
  }

  func send(_ push: UpstreamPush, completion: @escaping @Sendable (UpstreamResult) -> Void) {
    client.submit(Push(push)) { completion(UpstreamResult($0)) }
  }

  func connect() { client.connect() }

  func close() { client.close() }
}

extension Push {
  /// Creates the request for a relayed push, with only those optional fields that the sender sent.
  init(_ push: UpstreamPush) {
    let expiration: Expiration =
      switch push.expiration {
      case nil: .servicePolicy
      case 0: .once
      case .some(let seconds): .until(unixSeconds: seconds)
      }
    self.init(
      to: push.token, topic: push.topic, payload: push.payload, type: push.pushType,
      priority: push.priority, expiration: expiration, collapseID: push.collapseID, id: push.id)
  }
}

extension UpstreamResult {
  /// Creates the result of a push; without an answer, it is `unknown` unless the upstream certainly did not process the
  /// push.
  init(_ result: Result<PushOutcome, ProviderFailure>) {
    switch result {
    case .success(.accepted(let receipt)):
      self = .answered(
        UpstreamAnswer(status: 200, id: receipt.id, uniqueID: receipt.uniqueID))
    case .success(.rejected(let refusal)):
      self = .answered(
        UpstreamAnswer(
          status: refusal.status, reason: refusal.reason,
          timestampMilliseconds: refusal.timestampMilliseconds, id: refusal.id,
          retryAfterSeconds: refusal.retryAfterSeconds))
    case .failure(let failure):
      switch failure {
      case .badCredentials, .cannotStart, .badPush, .unreachable, .tooManyWaiting:
        self = .unreachable(reason: "\(failure)")
      case .unanswered, .timedOut, .badAnswer, .cancelled, .closed:
        self = .unknown(reason: "\(failure)")
      }
    }
  }
}
