public import BelfryProvider
public import BelfryWire
internal import System

/// Where campaigns are sent to.
public struct PushService: Sendable {
  /// Sends a push and calls back once; `ProviderClient` does.
  public typealias Submit = @Sendable (Push, @escaping PushCompletion) -> Void

  let submit: Submit
  let log: GatewayLog?
  /// The environment whose tokens it knows; nil where that is not known here.
  let environment: Environment?
  /// Its address, as people know it.
  let name: String
  /// How the connection to it stands; asking makes one where there is none.
  let connection: @Sendable () -> ProviderConnectionState

  /// A service, with its delivery log where it has one that can be read.
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

  /// The service that a client is connected to.
  ///
  /// The client must not send again what was not answered: the campaign asks the delivery log first.
  public init(
    client: ProviderClient, log: GatewayLog?, environment: Environment?, name: String
  ) {
    self.init(
      submit: { push, completion in client.submit(push, completion: completion) }, log: log,
      environment: environment, name: name,
      connection: {
        // Services end connections that send nothing: one that was good a minute ago is as good as open.
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
