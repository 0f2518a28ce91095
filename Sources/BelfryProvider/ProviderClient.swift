import PushWire
import Synchronization
import System
import Transport

/// The completion handler of a push, called with the service's response or the reason for its absence.
public typealias PushCompletion = @Sendable (Result<PushOutcome, ProviderFailure>) -> Void

/// A sender's connections to a Belfry gateway or to Apple's service: HTTP/2 over TLS, kept open for the client's
/// lifetime and reopened if necessary.
///
/// If a connection is closed before the response, a push can reach the service twice with the same `apns-id`. Devices
/// display it once.
public final class ProviderClient: Sendable {
  /// The configuration of a client.
  public struct Configuration: Sendable {
    /// The endpoint to which pushes are sent.
    public var endpoint: ProviderEndpoint
    /// The credentials with which the sender authenticates.
    public var credentials: ProviderCredentials
    /// The certificate authority to trust, as PEM text; `nil` trusts the system's certificate authorities.
    public var authorityPEM: [UInt8]?
    /// The number of attempts, the pauses between attempts, and the time limit for a push.
    public var policy: RetryPolicy
    /// The maximum number of the client's connections, from 1 to 32, all on the same thread.
    ///
    /// The first connection is opened with the first push, and another connection is opened whenever pushes wait and no
    /// open connection has capacity. Each push is sent on the connection that uses the smallest share of the capacity
    /// that the service allows.
    public var connections: Int

    /// Creates a configuration.
    ///
    /// Without an authority, the system's certificate authorities are trusted.
    public init(
      endpoint: ProviderEndpoint, credentials: ProviderCredentials, authorityPEM: [UInt8]? = nil,
      policy: RetryPolicy = RetryPolicy(), connections: Int = 1
    ) {
      self.endpoint = endpoint
      self.credentials = credentials
      self.authorityPEM = authorityPEM
      self.policy = policy
      self.connections = connections
    }
  }

  private struct Shared {
    var nextNumber: UInt64 = 1
    var isClosed = false
    /// The client's thread; nil after the client is closed.
    var group: ProviderClientGroup?
  }

  private let shared: Mutex<Shared>
  private let commands: Mailbox<GroupCommand>
  private let number: ClientNumber
  private let report: ConnectionReport
  /// The default limit on unanswered pushes, which applies if the sender of a sequence of pushes does not specify a
  /// window.
  let defaultWindow: Int

  /// Creates a client, which connects when the first push is sent.
  ///
  /// The client has its own thread unless it shares a group's thread.
  public convenience init(
    _ configuration: Configuration, group: ProviderClientGroup? = nil
  ) throws(ProviderFailure) {
    let (tls, key) = try Self.security(of: configuration)
    let connections = min(max(configuration.connections, 1), Limits.connectionsMax)
    let group = if let group { group } else { try ProviderClientGroup() }
    self.init(
      ProviderLoopSetup(
        endpoint: configuration.endpoint, tls: tls, key: key, policy: configuration.policy,
        connections: connections, report: ConnectionReport()),
      group: group)
  }

  /// Creates a client on a group's thread.
  init(_ setup: ProviderLoopSetup, group: ProviderClientGroup) {
    assert(setup.connections > 0, "a client has at least one connection")
    assert(
      setup.connections <= Limits.connectionsMax, "the number of connections is within its limit")
    report = setup.report
    defaultWindow = Limits.windowPerConnection * setup.connections
    commands = group.commands
    number = group.add(setup)
    shared = Mutex(Shared(group: group))
  }

  deinit { close() }

  /// Sends a push and returns the service's response, which can be a refusal.
  ///
  /// Any number of tasks can wait at the same time; they share the connections. A cancelled task receives
  /// ``ProviderFailure/cancelled``, but its push might already have been sent.
  public func send(_ push: Push) async throws(ProviderFailure) -> PushOutcome {
    try await awaiting { number, cancellation, completion in
      submit(push, number, cancellation) { completion($0) }
    }
  }

  /// Sends a request and returns its response.
  ///
  /// `isRepeatable` is true if the request can be sent again after its response is lost.
  func answer(
    to request: ServiceRequest, isRepeatable: Bool
  ) async throws(ProviderFailure) -> ServiceAnswer {
    try await awaiting(isRepeatable: isRepeatable) { number, cancellation, completion in
      enqueue(request, number, cancellation, .answer { completion($0) })
    }
  }

  /// Calls `body` with a new request number, waits for the outcome of the request, and cancels the request if the task
  /// is cancelled.
  private func awaiting<Answer: Sendable>(
    isRepeatable: Bool = true,
    _ body: (
      RequestNumber, Cancellation, @escaping @Sendable (Result<Answer, ProviderFailure>) -> Void
    ) -> Void
  ) async throws(ProviderFailure) -> Answer {
    let cancellation = Cancellation()
    let number = nextNumber(isRepeatable: isRepeatable)
    let result: Result<Answer, ProviderFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        body(number, cancellation) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      cancellation.cancel()
      post(.cancel(number))
    }
    return try result.get()
  }

  /// Sends a push and calls `completion` once on the client's thread.
  ///
  /// The completion handler must not block this thread.
  public func submit(_ push: Push, completion: @escaping PushCompletion) {
    submit(push, nextNumber(), Cancellation(), completion)
  }

  /// Sends a request and calls `completion` once on the client's thread, or immediately if the client is closed.
  ///
  /// `isRepeatable` is true if the request can be sent again after its response is lost.
  func submit(
    _ request: ServiceRequest, isRepeatable: Bool,
    completion: @escaping @Sendable (Result<ServiceAnswer, ProviderFailure>) -> Void
  ) {
    enqueue(
      request, nextNumber(isRepeatable: isRepeatable), Cancellation(), .answer(completion))
  }

  /// The combined state of the connections: connected if at least one connection accepts pushes.
  public var connection: ProviderConnectionState { report.state }

  /// Opens all connections before the first push, unless they are already open.
  ///
  /// If a connection failed, the client first waits until the pause after the failure is over.
  public func connect() {
    shared.withLock { shared in
      if !shared.isClosed { post(.connect) }
    }
  }

  /// Closes the connections gracefully.
  ///
  /// Unanswered requests fail with ``ProviderFailure/closed``.
  public func close() {
    // Release the group outside the lock: if this is the group's last client, releasing the group stops its thread.
    let group = shared.withLock { shared -> ProviderClientGroup? in
      guard !shared.isClosed else { return nil }
      shared.isClosed = true
      post(.close)
      return exchange(&shared.group, with: nil)
    }
    withExtendedLifetime(group) {}
  }

  private func post(_ command: ProviderCommand) { commands.post(.client(number, command)) }

  private func nextNumber(isRepeatable: Bool = true) -> RequestNumber {
    shared.withLock { shared in
      defer { shared.nextNumber += 1 }
      return RequestNumber(value: shared.nextNumber, isRepeatable: isRepeatable)
    }
  }

  private func submit(
    _ push: Push, _ number: RequestNumber, _ cancellation: Cancellation,
    _ completion: @escaping PushCompletion
  ) {
    if let fault = push.fault { return completion(.failure(.badPush(fault))) }
    var push = push
    if push.id == nil { push.id = Self.newID() }
    enqueue(.push(push), number, cancellation, .outcome(completion))
  }

  private func enqueue(
    _ request: ServiceRequest, _ number: RequestNumber, _ cancellation: Cancellation,
    _ completion: RequestCompletion
  ) {
    // Post the request under the lock, so that it cannot follow the command to close.
    let isTaken = shared.withLock { shared in
      guard !shared.isClosed else { return false }
      post(.submit(number, request, cancellation, completion))
      return true
    }
    if !isTaken { completion(.failure(.closed)) }
  }

  /// Returns a new value for ``Push/id``: a random identifier in the canonical form that `apns-id` requires (RFC 9562,
  /// version 4).
  public static func newID() -> String {
    var random = SystemRandom.Generator()
    let high = random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return NotificationID(high: high, low: low).text.lowercased()
  }

  private static func security(
    of configuration: Configuration
  ) throws(ProviderFailure) -> (TLSClientContext, ProviderKey?) {
    do {
      switch configuration.credentials {
      case .token(let key):
        return (try TLSClientContext(caPEM: configuration.authorityPEM, alpn: ["h2"]), key)
      case .certificate(let chain, let privateKey):
        let context = try TLSClientContext(
          caPEM: configuration.authorityPEM, certificateChainPEM: chain, privateKeyPEM: privateKey,
          alpn: ["h2"])
        return (context, nil)
      }
    } catch {
      throw .badCredentials("\(error)")
    }
  }
}
