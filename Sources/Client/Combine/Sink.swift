import BelfryClient

/// Something that is stopped when the last reference to it is gone.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
  // Sendable: what changes is behind a lock.
  private let body: LockedBox<(() -> Void)?>

  /// Wraps the closure that stops something.
  public init(_ cancel: @escaping () -> Void) { body = LockedBox(cancel) }

  /// Wraps something that can be stopped.
  public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

  deinit { cancel() }

  /// Stops it, once.
  public func cancel() {
    let body = body.withLock { body in
      defer { body = nil }
      return body
    }
    body?()
  }

  /// Keeps it in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Keeps it in a collection.
  public func store<C: RangeReplaceableCollection<AnyCancellable>>(in collection: inout C) {
    collection.append(self)
  }

  /// Whether both are the same object.
  public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool { one === other }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Cancellable {
  /// Keeps it in a set.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(AnyCancellable(self)) }
}

extension Subscribers {
  /// A subscriber that wants all values and hands them to closures.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    // Sendable: what changes is behind a lock.
    private let subscription = LockedBox<(any Subscription)?>(nil)
    private let isCancelled = LockedBox(false)
    private let onValue: (Input) -> Void
    private let onCompletion: (Completion<Failure>) -> Void

    /// A subscriber with its closures.
    public init(
      receiveCompletion: @escaping (Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      onValue = receiveValue
      onCompletion = receiveCompletion
    }

    /// Asks for all values.
    public func receive(subscription: any Subscription) {
      guard !isCancelled.withLock({ $0 }) else { return subscription.cancel() }
      self.subscription.withLock { $0 = subscription }
      subscription.request(.unlimited)
    }

    /// Hands on a value.
    public func receive(_ input: Input) -> Demand {
      if !isCancelled.withLock({ $0 }) { onValue(input) }
      return .none
    }

    /// Hands on the end.
    public func receive(completion: Completion<Failure>) {
      subscription.withLock { $0 = nil }
      if !isCancelled.withLock({ $0 }) { onCompletion(completion) }
    }

    /// Ends the subscription.
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
  /// Hands each value and the end to closures, until the result is gone.
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
  /// Hands each value to a closure, until the result is gone.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Sets a property to each value, until the result is gone.
  public func assign<Root: AnyObject>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable { sink { object[keyPath: keyPath] = $0 } }

  /// Sets a published property to each value, as long as the property is there.
  public func assign(to published: inout Published<Output>.Publisher) {
    published.follow(self)
  }
}
