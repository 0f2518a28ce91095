public import BelfryProvider
public import BelfryWire
internal import Synchronization
internal import System

/// The push service to which campaigns are sent.
public struct PushService: Sendable {
  /// A function that sends a push and calls the completion handler once, as `ProviderClient` does.
  public typealias Submit = @Sendable (Push, @escaping PushCompletion) -> Void

  let submit: Submit
  /// The sender for Web Push subscriptions; nil if the service sends only to devices.
  let webPush: WebPushSender?
  let log: GatewayLog?
  /// The environment of the service's tokens; nil if unknown.
  let environment: Environment?
  /// The service's address, as shown to operators.
  let name: String
  /// A function that returns the state of the connection, and tests the service if no connection is open.
  let connection: @Sendable () -> ProviderConnectionState

  /// Creates a service.
  ///
  /// `log` is the service's delivery log; nil if the service has no readable log.
  public init(
    submit: @escaping Submit, webPush: WebPushSender? = nil, log: GatewayLog?,
    environment: Environment? = nil, name: String = "",
    connection: @escaping @Sendable () -> ProviderConnectionState = { .idle }
  ) {
    self.submit = submit
    self.webPush = webPush
    self.log = log
    self.environment = environment
    self.name = name
    self.connection = connection
  }

  /// Creates a service that sends pushes through a client.
  ///
  /// The client must not resend unanswered pushes, because the campaign queries the delivery log first.
  public init(
    client: ProviderClient, webPush: WebPushSender? = nil, log: GatewayLog?,
    environment: Environment?, name: String
  ) {
    let test = ConnectionTest(of: { client.connection }, connect: { client.connect() })
    self.init(
      submit: { push, completion in client.submit(push, completion: completion) },
      webPush: webPush, log: log, environment: environment, name: name,
      connection: { test.state() })
  }
}

/// A test of a push service, which opens a connection if none is open.
///
/// A closed connection does not show whether the service still runs: a service closes idle connections, too.
final class ConnectionTest: Sendable {
  private let current: @Sendable () -> ProviderConnectionState
  private let connect: @Sendable () -> Void
  private let now: @Sendable () -> Int64
  /// The time of the last test, in monotonic nanoseconds; nil before the first test.
  private let testedAt = Mutex<Int64?>(nil)

  /// Creates a test of the service that `connect` connects to.
  ///
  /// `now` is a monotonic clock in nanoseconds.
  init(
    of current: @escaping @Sendable () -> ProviderConnectionState,
    connect: @escaping @Sendable () -> Void,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    self.now = now
    self.current = current
    self.connect = connect
  }

  /// Returns the state of the connection; if none is open, also tests the service, unless the last test was recent.
  ///
  /// The result of a test is part of a later state, because the test takes some time.
  func state() -> ProviderConnectionState {
    let state = current()
    if case .connected = state { return state }
    let moment = now()
    let isDue = testedAt.withLock { last in
      if let last, moment - last < Limits.connectionTestNanoseconds { return false }
      last = moment
      return true
    }
    if isDue { connect() }
    return current()
  }
}
