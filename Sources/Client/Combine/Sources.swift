import BelfryClient
public import Dispatch
public import Foundation

/// A place where work runs.
public protocol Scheduler {
  /// Runs the work soon.
  func schedule(_ action: @escaping () -> Void)
}

extension DispatchQueue: Scheduler {
  /// Runs the work on the queue.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    async { action.value() }
  }
}

extension RunLoop: Scheduler {
  /// Runs the work in a turn of the run loop.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    // The main run loop does not wake up for a block that another thread adds.
    if self === RunLoop.main { return DispatchQueue.main.async { action.value() } }
    perform { action.value() }
  }
}

extension OperationQueue: Scheduler {
  /// Runs the work as an operation of the queue.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    addOperation { action.value() }
  }
}

/// A scheduler that runs the work at once.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The scheduler.
  public static let shared = ImmediateScheduler()

  /// Runs the work.
  public func schedule(_ action: @escaping () -> Void) { action() }
}

/// A publisher of one value.
public struct Just<Output>: Publisher {
  /// No error ends it.
  public typealias Failure = Never

  /// The value.
  public let output: Output

  /// A publisher of a value.
  public init(_ output: Output) { self.output = output }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let subject = CurrentValueSubject<Output, Never>(output)
    subject.receive(subscriber: subscriber)
    subject.send(completion: .finished)
  }
}

/// A publisher without values, which ends at once.
public struct Empty<Output, Failure: Error>: Publisher {
  /// A publisher without values.
  public init() {}

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let subject = PassthroughSubject<Output, Failure>()
    subject.send(completion: .finished)
    subject.receive(subscriber: subscriber)
  }
}

/// A publisher that fails at once.
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error.
  public let error: Failure

  /// A publisher of an error.
  public init(error: Failure) { self.error = error }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let subject = PassthroughSubject<Output, Failure>()
    subject.send(completion: .failure(error))
    subject.receive(subscriber: subscriber)
  }
}

/// A value that comes later, once.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
  // Sendable: what changes is behind a lock.

  /// Hands over the result.
  public typealias Promise = (Result<Output, Failure>) -> Void

  private let result = LockedBox<Result<Output, Failure>?>(nil)
  private let waiting = PassthroughSubject<Output, Failure>()

  /// A value that the closure makes.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { [self] result in
      let isFirst = self.result.withLock { stored in
        guard stored == nil else { return false }
        stored = result
        return true
      }
      guard isFirst else { return }
      switch result {
      case .success(let value):
        waiting.send(value)
        waiting.send(completion: .finished)
      case .failure(let error): waiting.send(completion: .failure(error))
      }
    }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    switch result.withLock({ $0 }) {
    case nil: waiting.receive(subscriber: subscriber)
    case .success(let value)?:
      let subject = CurrentValueSubject<Output, Failure>(value)
      subject.receive(subscriber: subscriber)
      subject.send(completion: .finished)
    case .failure(let error)?: Fail(error: error).receive(subscriber: subscriber)
    }
  }
}

extension NotificationCenter {
  /// The notifications of a name, and of an object where one is given.
  public struct Publisher: Combine.Publisher {
    /// The type of the values.
    public typealias Output = Notification
    /// No error ends them.
    public typealias Failure = Never

    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Notification, S.Failure == Never {
      let subject = PassthroughSubject<Notification, Never>()
      let token = center.addObserver(forName: name, object: object, queue: nil) {
        subject.send($0)
      }
      let observer = MainThreadOnly((center, token))
      let subscriber = AnySubscriber(subscriber)
      subject.receive(
        subscriber: AnySubscriber<Notification, Never>(
          receiveSubscription: { subscription in
            subscriber.receive(
              subscription: Observation(
                subscription: subscription,
                end: { observer.value.0.removeObserver(observer.value.1) }))
          },
          receiveValue: { subscriber.receive($0) },
          receiveCompletion: { subscriber.receive(completion: $0) }))
    }

    private struct Observation: Subscription {
      let subscription: any Subscription
      let end: () -> Void

      func request(_ demand: Subscribers.Demand) { subscription.request(demand) }

      func cancel() {
        subscription.cancel()
        end()
      }
    }
  }

  /// The notifications of a name, and of an object where one is given.
  public func publisher(
    for name: Notification.Name, object: AnyObject? = nil
  ) -> NotificationCenter.Publisher { Publisher(center: self, name: name, object: object) }
}
