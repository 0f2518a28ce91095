import BelfryClient

/// A publisher to which the app itself sends values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Sends a value to the subscribers.
  func send(_ value: Output)

  /// Sends a completion to the subscribers.
  func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
  /// Notifies the subscribers by sending a value without data.
  public func send() { send(()) }
}

/// The subscribers of a subject.
final class Conduits<Output, Failure: Error>: @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  /// A subscriber, with the number of values that it has requested but not yet received.
  final class Conduit: Subscription, @unchecked Sendable {
    // Sendable: a lock protects the mutable state.
    private struct State {
      var subscriber: AnySubscriber<Output, Failure>?
      var demand = Subscribers.Demand.none
      /// The current value of a subject that stores a value; nil once the subscriber has received it.
      var waiting: Output?
    }

    private let state: LockedBox<State>
    private let onCancel: (Conduit) -> Void

    init(
      _ subscriber: AnySubscriber<Output, Failure>, waiting: Output?,
      onCancel: @escaping (Conduit) -> Void
    ) {
      state = LockedBox(State(subscriber: subscriber, waiting: waiting))
      self.onCancel = onCancel
    }

    func request(_ demand: Subscribers.Demand) {
      let waiting: Output? = state.withLock { state in
        state.demand += demand
        guard state.waiting != nil, state.demand != .none else { return nil }
        defer { state.waiting = nil }
        return state.waiting
      }
      if let waiting { send(waiting) }
    }

    func send(_ value: Output, replacesWaiting: Bool = false) {
      let subscriber: AnySubscriber<Output, Failure>? = state.withLock { state in
        guard state.subscriber != nil else { return nil }
        guard state.demand.takeOne() else {
          if replacesWaiting { state.waiting = value }
          return nil
        }
        return state.subscriber
      }
      guard let more = subscriber?.receive(value), more != .none else { return }
      request(more)
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
      let subscriber = state.withLock { state in
        defer { state.subscriber = nil }
        return state.subscriber
      }
      subscriber?.receive(completion: completion)
    }

    func cancel() {
      state.withLock { $0.subscriber = nil }
      onCancel(self)
    }
  }

  private struct State {
    var conduits: [Conduit] = []
    var completion: Subscribers.Completion<Failure>?
  }

  private let state = LockedBox(State())

  func add(_ subscriber: AnySubscriber<Output, Failure>, waiting: Output? = nil) {
    let conduit = Conduit(subscriber, waiting: waiting) { [weak self] conduit in
      self?.state.withLock { $0.conduits.removeAll { $0 === conduit } }
    }
    let completion = state.withLock { state in
      if state.completion == nil { state.conduits.append(conduit) }
      return state.completion
    }
    subscriber.receive(subscription: conduit)
    if let completion { conduit.finish(completion) }
  }

  func send(_ value: Output, replacesWaiting: Bool = false) {
    for conduit in state.withLock({ $0.conduits }) {
      conduit.send(value, replacesWaiting: replacesWaiting)
    }
  }

  func finish(_ completion: Subscribers.Completion<Failure>) {
    let conduits = state.withLock { state in
      guard state.completion == nil else { return [Conduit]() }
      state.completion = completion
      defer { state.conduits = [] }
      return state.conduits
    }
    for conduit in conduits { conduit.finish(completion) }
  }
}

/// A subject that does not store a value.
public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  private let conduits = Conduits<Output, Failure>()

  /// Creates a subject without subscribers.
  public init() {}

  /// Attaches a subscriber to this subject.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure { conduits.add(AnySubscriber(subscriber)) }

  /// Sends a value to the subscribers.
  public func send(_ value: Output) { conduits.send(value) }

  /// Sends a completion to the subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { conduits.finish(completion) }
}

/// A subject that stores a value, which each new subscriber receives first.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  private let conduits = Conduits<Output, Failure>()
  private let current: LockedBox<Output>

  /// Creates a subject with an initial value.
  public init(_ value: Output) { current = LockedBox(value) }

  /// The current value; setting this property sends the new value to the subscribers.
  public var value: Output {
    get { current.withLock { $0 } }
    set { send(newValue) }
  }

  /// Attaches a subscriber to this subject.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    conduits.add(AnySubscriber(subscriber), waiting: value)
  }

  /// Sends a value to the subscribers.
  public func send(_ value: Output) {
    current.withLock { $0 = value }
    conduits.send(value, replacesWaiting: true)
  }

  /// Sends a completion to the subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { conduits.finish(completion) }
}
