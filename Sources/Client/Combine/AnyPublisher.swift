import BelfryClient

/// A publisher that hides the type of the publisher that it wraps.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  private let attach: (AnySubscriber<Output, Failure>) -> Void

  init(attach: @escaping (AnySubscriber<Output, Failure>) -> Void) { self.attach = attach }

  /// Wraps a publisher to hide its type.
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    self.init { publisher.receive(subscriber: $0) }
  }

  /// Attaches a subscriber to this publisher.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure { attach(AnySubscriber(subscriber)) }
}

/// A subscriber that hides the type of the subscriber that it wraps.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
  private let onSubscription: (any Subscription) -> Void
  private let onValue: (Input) -> Subscribers.Demand
  private let onCompletion: (Subscribers.Completion<Failure>) -> Void

  /// Creates a subscriber from closures.
  public init(
    receiveSubscription: @escaping (any Subscription) -> Void,
    receiveValue: @escaping (Input) -> Subscribers.Demand,
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void
  ) {
    onSubscription = receiveSubscription
    onValue = receiveValue
    onCompletion = receiveCompletion
  }

  /// Wraps a subscriber to hide its type.
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

  /// Forwards the subscription to the wrapped subscriber.
  public func receive(subscription: any Subscription) { onSubscription(subscription) }

  /// Forwards a value to the wrapped subscriber.
  public func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }

  /// Forwards the completion to the wrapped subscriber.
  public func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}

extension Publisher {
  /// Wraps the publisher to hide its type.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

  /// Returns a publisher that passes each value to a closure, which sends the resulting values to the subscriber.
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
