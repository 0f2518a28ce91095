import BelfryClient

/// A cancellable that is cancelled when the last reference to it is released.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  private let body: LockedBox<(() -> Void)?>

  /// Wraps a closure that cancels an activity.
  public init(_ cancel: @escaping () -> Void) { body = LockedBox(cancel) }

  /// Wraps another cancellable to hide its type.
  public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

  deinit { cancel() }

  /// Cancels the activity, unless it is already cancelled.
  public func cancel() {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  /// Stores the cancellable in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Stores the cancellable in a collection.
  public func store<C: RangeReplaceableCollection<AnyCancellable>>(in collection: inout C) {
    collection.append(self)
  }

  /// Returns whether both operands are the same object.
  public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Cancellable {
  /// Stores the cancellable in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

extension Subscribers {
  /// A subscriber that requests all values and passes them to closures.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    // Sendable: a lock protects the mutable state.
    private let subscription = LockedBox<(any Subscription)?>(nil)
    private let isCancelled = LockedBox(false)
    private let onValue: (Input) -> Void
    private let onCompletion: (Completion<Failure>) -> Void

    /// Creates a subscriber from its closures.
    public init(
      receiveCompletion: @escaping (Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      onValue = receiveValue
      onCompletion = receiveCompletion
    }

    /// Requests all values of the subscription.
    public func receive(subscription: any Subscription) {
      guard !isCancelled.withLock({ $0 }) else { return subscription.cancel() }
      self.subscription.withLock { $0 = subscription }
      subscription.request(.unlimited)
    }

    /// Passes a value to the closure.
    public func receive(_ input: Input) -> Demand {
      if !isCancelled.withLock({ $0 }) { onValue(input) }
      return .none
    }

    /// Passes the completion to the closure.
    public func receive(completion: Completion<Failure>) {
      subscription.withLock { $0 = nil }
      if !isCancelled.withLock({ $0 }) { onCompletion(completion) }
    }

    /// Cancels the subscription and stops calling the closures.
    public func cancel() {
      isCancelled.withLock { $0 = true }
      let old = subscription.withLock { subscription in
        defer { subscription = nil }
        return subscription
      }
      old?.cancel()
    }
  }
}

extension Publisher {
  /// Passes each value and the completion to closures until the returned object is released.
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    receive(subscriber: sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Passes each value to a closure until the returned object is released.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Sets a property to each value until the returned object is released.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { sink { object[keyPath: keyPath] = $0 } }

  /// Sets a published property to each value for as long as the property exists.
  public func assign(to published: inout Published<Output>.Publisher) {
    published.follow(self)
  }
}
