public import BelfryProvider
public import BelfryWire
internal import System

/// The push service to which campaigns are sent.
public struct PushService: Sendable {
  /// A function that sends a push and calls the completion handler once, as `ProviderClient` does.
  public typealias Submit = @Sendable (Push, @escaping PushCompletion) -> Void

  let submit: Submit
  let log: GatewayLog?
  /// The environment of the service's tokens; nil if unknown.
  let environment: Environment?
  /// The service's address, as shown to operators.
  let name: String
  /// A function that returns the state of the connection, and opens a connection if none is open.
  let connection: @Sendable () -> ProviderConnectionState

  /// Creates a service.
  ///
  /// `log` is the service's delivery log; nil if the service has no readable log.
  public init(
    submit: @escaping Submit, log: GatewayLog?, environment: Environment? = nil, name: String = "",
    connection: @escaping @Sendable () -> ProviderConnectionState = { .idle }
  ) {
    self.submit = submit
    self.log = log
    self.environment = environment
    self.name = name
    self.connection = connection
  }

  /// Creates a service that sends pushes through a client.
  ///
  /// The client must not resend unanswered pushes, because the campaign queries the delivery log first.
  public init(
    client: ProviderClient, log: GatewayLog?, environment: Environment?, name: String
  ) {
    self.init(
      submit: { push, completion in client.submit(push, completion: completion) }, log: log,
      environment: environment, name: name,
      connection: {
        // Services close idle connections, so a connection that worked within the last minute counts as open.
        let isRecent =
          if case .ended(let moment) = client.connection {
            SystemClock.unixMilliseconds - moment < Limits.connectionGoodMilliseconds
          } else {
            false
          }
        if !isRecent { client.connect() }
        return client.connection
      })
  }
}
