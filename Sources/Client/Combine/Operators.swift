import BelfryClient

extension Publisher {
  /// Transforms each value with a closure.
  public func map<New>(_ transform: @escaping (Output) -> New) -> AnyPublisher<New, Failure> {
    transformed { value, subscriber in subscriber.receive(transform(value)) }
  }

  /// Publishes a property of each value.
  public func map<New>(_ keyPath: KeyPath<Output, New>) -> AnyPublisher<New, Failure> {
    map { $0[keyPath: keyPath] }
  }

  /// Transforms each value with a closure, and omits results that are nil.
  public func compactMap<New>(
    _ transform: @escaping (Output) -> New?
  ) -> AnyPublisher<New, Failure> {
    transformed { value, subscriber in transform(value).map(subscriber.receive) ?? .max(1) }
  }

  /// Publishes the values that satisfy a condition.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    compactMap { isIncluded($0) ? $0 : nil }
  }

  /// Publishes each value that differs from the previous value.
  public func removeDuplicates(
    by predicate: @escaping (Output, Output) -> Bool
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { subscriber in
      let last = LockedBox<Output?>(nil)
      filter { value in
        last.withLock { last in
          defer { last = value }
          return last.map { !predicate($0, value) } ?? true
        }
      }
      .receive(subscriber: subscriber)
    }
  }

  /// Omits the given number of values, and then publishes the rest.
  public func dropFirst(_ count: Int = 1) -> AnyPublisher<Output, Failure> {
    AnyPublisher { subscriber in
      let left = LockedBox(count)
      filter { _ in
        left.withLock { left in
          guard left > 0 else { return true }
          left -= 1
          return false
        }
      }
      .receive(subscriber: subscriber)
    }
  }

  /// Publishes the given number of values, and then finishes.
  public func prefix(_ maxLength: Int) -> AnyPublisher<Output, Failure> {
    AnyPublisher { subscriber in
      let state = LockedBox<(left: Int, subscription: (any Subscription)?)>((maxLength, nil))
      receive(
        subscriber: AnySubscriber<Output, Failure>(
          receiveSubscription: { subscription in
            state.withLock { $0.subscription = subscription }
            subscriber.receive(subscription: subscription)
          },
          receiveValue: { value in
            let left = state.withLock { state in
              state.left -= 1
              return state.left
            }
            guard left >= 0 else { return .none }
            let demand = subscriber.receive(value)
            guard left == 0 else { return demand }
            state.withLock { $0.subscription }?.cancel()
            subscriber.receive(completion: .finished)
            return .none
          },
          receiveCompletion: { completion in
            if state.withLock({ $0.left > 0 }) { subscriber.receive(completion: completion) }
          }))
    }
  }

  /// Publishes the first value, and then finishes.
  public func first() -> AnyPublisher<Output, Failure> { prefix(1) }

  /// Delivers the values on a scheduler, such as `DispatchQueue.main`.
  public func receive<S: Scheduler>(on scheduler: S) -> AnyPublisher<Output, Failure> {
    AnyPublisher { subscriber in
      receive(
        subscriber: AnySubscriber<Output, Failure>(
          receiveSubscription: { subscription in
            subscriber.receive(subscription: subscription)
          },
          receiveValue: { value in
            scheduler.schedule { _ = subscriber.receive(value) }
            return .none
          },
          receiveCompletion: { completion in
            scheduler.schedule { subscriber.receive(completion: completion) }
          }))
    }
  }

  /// Replaces an error with a value, and then finishes.
  public func replaceError(with output: Output) -> AnyPublisher<Output, Never> {
    AnyPublisher { subscriber in
      receive(
        subscriber: AnySubscriber<Output, Failure>(
          receiveSubscription: { subscriber.receive(subscription: $0) },
          receiveValue: { subscriber.receive($0) },
          receiveCompletion: { completion in
            if case .failure = completion { _ = subscriber.receive(output) }
            subscriber.receive(completion: .finished)
          }))
    }
  }
}

extension Publisher where Output: Equatable {
  /// Publishes each value that differs from the previous value.
  public func removeDuplicates() -> AnyPublisher<Output, Failure> { removeDuplicates(by: ==) }
}

extension Publisher {
  /// Publishes the values of both publishers until both have finished or one has failed.
  public func merge<P: Publisher>(with other: P) -> AnyPublisher<Output, Failure>
  where P.Output == Output, P.Failure == Failure {
    AnyPublisher { subscriber in
      let group = Subscriptions(subscriber, open: 2)
      receive(subscriber: group.member { subscriber.receive($0) })
      other.receive(subscriber: group.member { subscriber.receive($0) })
    }
  }

  /// Publishes the latest values of both publishers together, after each publisher has emitted at least one.
  public func combineLatest<P: Publisher>(
    _ other: P
  ) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
    AnyPublisher { subscriber in
      let latest = LockedBox<(Output?, P.Output?)>((nil, nil))
      func send(_ values: (Output?, P.Output?)) -> Subscribers.Demand {
        guard let one = values.0, let other = values.1 else { return .none }
        return subscriber.receive((one, other))
      }
      let group = Subscriptions(subscriber, open: 2)
      receive(
        subscriber: group.member { value in
          send(
            latest.withLock { latest in
              latest.0 = value
              return latest
            })
        })
      other.receive(
        subscriber: group.member { value in
          send(
            latest.withLock { latest in
              latest.1 = value
              return latest
            })
        })
    }
  }
}

/// The subscriptions to several publishers, combined into a single subscription for the subscriber.
///
/// Each subscription requests all values, regardless of the subscriber's demand.
private final class Subscriptions<Output, Failure: Error>: Subscription {
  private struct State {
    var open: Int
    var members: [any Subscription] = []
    var hasEnded = false
  }

  private let state: LockedBox<State>
  private let subscriber: AnySubscriber<Output, Failure>

  init(_ subscriber: AnySubscriber<Output, Failure>, open: Int) {
    state = LockedBox(State(open: open))
    self.subscriber = subscriber
    subscriber.receive(subscription: self)
  }

  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let members = state.withLock { state in
      state.hasEnded = true
      defer { state.members = [] }
      return state.members
    }
    for member in members { member.cancel() }
  }

  func member<Input>(
    _ receive: @escaping (Input) -> Subscribers.Demand
  ) -> AnySubscriber<Input, Failure> {
    AnySubscriber(
      receiveSubscription: { [self] subscription in
        let hasEnded = state.withLock { state in
          state.members.append(subscription)
          return state.hasEnded
        }
        if hasEnded { subscription.cancel() } else { subscription.request(.unlimited) }
      },
      receiveValue: { [self] value in
        if !state.withLock({ $0.hasEnded }) { _ = receive(value) }
        return .none
      },
      receiveCompletion: { [self] completion in
        var isFailure = false
        if case .failure = completion { isFailure = true }
        let ends = state.withLock { state in
          state.open -= 1
          guard !state.hasEnded, isFailure || state.open == 0 else { return false }
          state.hasEnded = true
          return true
        }
        guard ends else { return }
        cancel()
        subscriber.receive(completion: completion)
      })
  }
}
