import BelfryClient

/// A publisher of some values, whatever its own type is.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  private let attach: (AnySubscriber<Output, Failure>) -> Void

  init(attach: @escaping (AnySubscriber<Output, Failure>) -> Void) { self.attach = attach }

  /// Wraps a publisher.
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    self.init { publisher.receive(subscriber: $0) }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure { attach(AnySubscriber(subscriber)) }
}

/// A subscriber to some values, whatever its own type is.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  private let onSubscription: (any Subscription) -> Void
  private let onValue: (Input) -> Subscribers.Demand
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// A subscriber made of closures.
  public init(
    receiveSubscription: @escaping (any Subscription) -> Void,
    receiveValue: @escaping (Input) -> Subscribers.Demand,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    onSubscription = receiveSubscription
    onValue = receiveValue
    onCompletion = receiveCompletion
  }

  /// Wraps a subscriber.
  public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
    if let same = subscriber as? AnySubscriber {
      self = same
    } else {
      self.init(
        receiveSubscription: { subscriber.receive(subscription: $0) },
        receiveValue: { subscriber.receive($0) },
        receiveCompletion: { subscriber.receive(completion: $0) })
    }
  }

  /// Passes the subscription on.
  public func receive(subscription: any Subscription) { onSubscription(subscription) }

  /// Passes a value on.
  public func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }

  /// Passes the end on.
  public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension Publisher {
  /// The publisher without its own type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

  /// A publisher whose subscriber gets what `receiveValue` sends it.
  func transformed<New>(
    _ receiveValue: @escaping (Output, AnySubscriber<New, Failure>) -> Subscribers.Demand
  ) -> AnyPublisher<New, Failure> {
    AnyPublisher { subscriber in
      receive(
        subscriber: AnySubscriber<Output, Failure>(
          receiveSubscription: { subscriber.receive(subscription: $0) },
          receiveValue: { receiveValue($0, subscriber) },
          receiveCompletion: { subscriber.receive(completion: $0) }))
    }
  }
}
