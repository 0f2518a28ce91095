public import BelfryProvider

/// Where campaigns are sent to.
public struct PushService: Sendable {
  /// Sends a push and calls back once; ``ProviderClient`` does.
  public typealias Submit = @Sendable (Push, @escaping PushCompletion) -> Void

  let submit: Submit
  let log: GatewayLog?

  /// A service, with its delivery log where it has one that can be read.
  public init(submit: @escaping Submit, log: GatewayLog?) {
    self.submit = submit
    self.log = log
  }

  /// The service that a client is connected to.
  ///
  /// The client must not send again what was not answered: the campaign asks the delivery log first.
  public init(client: ProviderClient, log: GatewayLog?) {
    self.init(submit: { push, completion in client.submit(push, completion: completion) }, log: log)
  }
}
