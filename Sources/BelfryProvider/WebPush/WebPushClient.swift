internal import Synchronization
internal import System
internal import Transport
public import WebPush

/// A sender of Web Push messages to any push service that supports HTTP/2: a Belfry gateway, Mozilla's, Google's or
/// Apple's service.
///
/// The client encrypts each message for its subscription (RFC 8291), signs tokens with the sender's key (RFC 8292), and
/// keeps the connections to each service open. All connections are on one thread.
///
/// ```swift
/// let client = try WebPushClient(.init(vapidKey: key, subject: "mailto:you@example.org"))
/// let subscription = try WebPushSubscription(json: bytes)
/// switch try await client.send(WebPushNotification(Array("Hello".utf8)), to: subscription) {
/// case .accepted(let receipt): print(receipt.messageURL ?? "")
/// case .rejected(let refusal) where refusal.isSubscriptionEnded: forget(subscription)
/// case .rejected(let refusal): print(refusal.status, refusal.message)
/// }
/// ```
public final class WebPushClient: Sendable {
  /// The configuration of a client.
  public struct Configuration: Sendable {
    /// The key that identifies the sender; without a key, the requests are anonymous.
    ///
    /// A subscription that is restricted to a key only accepts messages of this sender.
    public var vapidKey: VAPIDKey?
    /// The sender's address for problems, a `mailto:` or `https:` URI, which Apple's service requires.
    public var subject: String?
    /// The certificate authority to trust, as PEM text; `nil` trusts the system's certificate authorities.
    public var authorityPEM: [UInt8]?
    /// True if the system's certificate authorities are trusted in addition to ``authorityPEM``.
    public var trustsSystemAuthorities = false
    /// True if the client also connects to addresses that are not public, such as those of this machine and its network.
    ///
    /// A server that accepts subscriptions from the internet must set this property to false. Otherwise, a subscription
    /// with the endpoint `https://10.0.0.1/` makes the server send a request to a machine on its own network.
    public var allowsPrivateAddresses = true
    /// The number of attempts, the pauses between attempts, and the time limit for a message.
    ///
    /// The client sends a message again after status 429, or after 503 with `Retry-After`, as ``ProviderClient`` does.
    /// A message whose connection closes before the response is never sent again, because a device would display it
    /// twice.
    public var policy: RetryPolicy
    /// The maximum number of connections to each service, from 1 to 32.
    public var connectionsPerService: Int

    /// Creates a configuration.
    ///
    /// Without an authority, the system's certificate authorities are trusted.
    public init(
      vapidKey: VAPIDKey? = nil, subject: String? = nil, authorityPEM: [UInt8]? = nil,
      policy: RetryPolicy = RetryPolicy(), connectionsPerService: Int = 1
    ) {
      self.vapidKey = vapidKey
      self.subject = subject
      self.authorityPEM = authorityPEM
      self.policy = policy
      self.connectionsPerService = connectionsPerService
    }
  }

  /// A message that is ready to be sent, with the connections to its service.
  private struct Ready {
    let origin: WebPushOrigin
    let request: ServiceRequest
    let connections: ProviderClient
  }

  private let configuration: Configuration
  private let tls: TLSClientContext
  private let group: ProviderClientGroup
  private let services = Mutex(
    WebPushServices<ProviderClient>(countMax: Limits.webPushServicesMax))

  /// Creates a client with its own thread, which connects to a service when the first message is sent to it.
  public init(_ configuration: Configuration = Configuration()) throws(WebPushFailure) {
    if let subject = configuration.subject, !Self.isSubject(subject) {
      throw .invalid(.subjectInvalid)
    }
    self.configuration = configuration
    do throws(TLSFailure) {
      tls = try TLSClientContext(
        caPEM: configuration.authorityPEM,
        trustsSystemRoots: configuration.trustsSystemAuthorities, alpn: ["h2"])
    } catch {
      throw .failed(.badCredentials("\(error)"))
    }
    do throws(ProviderFailure) {
      group = try ProviderClientGroup(name: "web-push")
    } catch {
      throw .failed(error)
    }
  }

  deinit { close() }

  /// Sends a message and returns the service's response, which can be a refusal.
  ///
  /// Any number of tasks can wait at the same time. If the task is cancelled, the message might already have been sent.
  public func send(
    _ notification: WebPushNotification, to subscription: WebPushSubscription
  ) async throws(WebPushFailure) -> WebPushOutcome {
    let ready = try prepare(notification, subscription)
    defer { end(ready.origin) }
    let answer: ServiceAnswer
    do throws(ProviderFailure) {
      answer = try await ready.connections.answer(to: ready.request, isRepeatable: false)
    } catch {
      throw .failed(error)
    }
    return WebPushOutcome(answer, origin: ready.origin)
  }

  /// Sends a message and calls `completion` once, on the client's thread unless the message cannot be sent.
  ///
  /// The completion handler must not block this thread.
  public func submit(
    _ notification: WebPushNotification, to subscription: WebPushSubscription,
    completion: @escaping @Sendable (Result<WebPushOutcome, WebPushFailure>) -> Void
  ) {
    let ready: Ready
    do throws(WebPushFailure) {
      ready = try prepare(notification, subscription)
    } catch {
      return completion(.failure(error))
    }
    let origin = ready.origin
    ready.connections.submit(ready.request, isRepeatable: false) { result in
      self.end(origin)
      completion(
        result.map { WebPushOutcome($0, origin: origin) }.mapError { WebPushFailure.failed($0) })
    }
  }

  /// Closes the connections gracefully.
  ///
  /// Messages without a response fail with ``ProviderFailure/closed``.
  public func close() {
    // Close the connections outside the lock, because their unanswered messages end then.
    for connections in services.withLock({ $0.close() }) { connections.close() }
  }

  // MARK: Sending

  private func prepare(
    _ notification: WebPushNotification, _ subscription: WebPushSubscription
  ) throws(WebPushFailure) -> Ready {
    var post: WebPushPost
    do throws(WebPushFault) {
      post = try WebPushPost(notification, to: subscription)
    } catch {
      throw .invalid(error)
    }
    let origin = subscription.address.origin
    let connections = try connections(to: subscription.address)
    do throws(WebPushFailure) {
      post.authorization = try authorization(for: origin)
    } catch {
      end(origin)
      throw error
    }
    return Ready(origin: origin, request: .webPush(post), connections: connections)
  }

  /// Returns the connections to a service, and records that the service has another pending message.
  private func connections(to address: WebPushAddress) throws(WebPushFailure) -> ProviderClient {
    let beginning = services.withLock { services in
      services.begin(address.origin) { makeConnections(to: address.service) }
    }
    switch beginning {
    case .send(let connections, let dropped):
      dropped?.close()
      return connections
    case .tooMany: throw .failed(.tooManyWaiting)
    case .closed: throw .failed(.closed)
    }
  }

  private func makeConnections(to service: ProviderEndpoint) -> ProviderClient {
    let count = min(max(configuration.connectionsPerService, 1), Limits.connectionsMax)
    return ProviderClient(
      ProviderLoopSetup(
        endpoint: service, tls: tls, key: nil, policy: configuration.policy, connections: count,
        report: ConnectionReport(), isPublicOnly: !configuration.allowsPrivateAddresses),
      group: group)
  }

  /// Returns the value of `authorization` for a service; nil if the sender has no key.
  private func authorization(for origin: WebPushOrigin) throws(WebPushFailure) -> String? {
    guard let key = configuration.vapidKey else { return nil }
    let now = SystemClock.unixMilliseconds / 1_000
    if let known = services.withLock({ $0.authorization(for: origin, atSeconds: now) }) {
      return known
    }
    let text: String
    do throws(VAPIDKey.Failure) {
      text = try key.authorization(
        for: origin, expiresAtSeconds: VAPIDAuthorization.expiration(issuedAtSeconds: now),
        subject: configuration.subject)
    } catch {
      throw .invalid(.cryptography(error.description))
    }
    let authorization = VAPIDAuthorization(text: text, issuedAtSeconds: now)
    services.withLock { $0.setAuthorization(authorization, for: origin) }
    return text
  }

  private func end(_ origin: WebPushOrigin) { services.withLock { $0.end(origin) } }

  /// Returns true for printable text that begins with the scheme `mailto:` or `https:`.
  private static func isSubject(_ subject: String) -> Bool {
    let bytes = Array(subject.utf8)
    let schemes = ["mailto:", "https://"].map { Array($0.utf8) }
    return bytes.allSatisfy { (0x21..<0x7F).contains($0) }
      && schemes.contains { bytes.count > $0.count && bytes.starts(with: $0) }
  }
}
