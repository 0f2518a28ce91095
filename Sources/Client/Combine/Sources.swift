import BelfryClient
public import Dispatch
public import Foundation

/// An object that runs actions, such as a queue.
public protocol Scheduler {
  /// Runs an action as soon as possible.
  func schedule(_ action: @escaping () -> Void)
}

extension DispatchQueue: Scheduler {
  /// Runs an action on the queue.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    async { action.value() }
  }
}

extension RunLoop: Scheduler {
  /// Runs an action in an iteration of the run loop.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    // Use the main queue, because adding a block from another thread does not wake the main run loop.
    if self === RunLoop.main { return DispatchQueue.main.async { action.value() } }
    perform { action.value() }
  }
}

extension OperationQueue: Scheduler {
  /// Runs an action as an operation of the queue.
  public func schedule(_ action: @escaping () -> Void) {
    let action = MainThreadOnly(action)
    addOperation { action.value() }
  }
}

/// A scheduler that runs actions immediately.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// The only instance, because the scheduler has no state.
  public static let shared = ImmediateScheduler()

  /// Runs an action immediately, on the current thread.
  public func schedule(_ action: @escaping () -> Void) { action() }
}

/// A publisher that emits one value and then finishes.
public struct Just<Output>: Publisher {
  /// The publisher never fails.
  public typealias Failure = Never

  /// The value to emit.
  public let output: Output

  /// Creates a publisher that emits a value.
  public init(_ output: Output) { self.output = output }

  /// Attaches a subscriber to this publisher.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let subject = CurrentValueSubject<Output, Never>(output)
    subject.receive(subscriber: subscriber)
    subject.send(completion: .finished)
  }
}

/// A publisher that finishes immediately without emitting a value.
public struct Empty<Output, Failure: Error>: Publisher {
  /// Creates a publisher that emits no values.
  public init() {}

  /// Attaches a subscriber to this publisher.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let subject = PassthroughSubject<Output, Failure>()
    subject.send(completion: .finished)
    subject.receive(subscriber: subscriber)
  }
}

/// A publisher that fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error of the publisher.
  public let error: Failure

  /// Creates a publisher that fails with an error.
  public init(error: Failure) { self.error = error }

  /// Attaches a subscriber to this publisher.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let subject = PassthroughSubject<Output, Failure>()
    subject.send(completion: .failure(error))
    subject.receive(subscriber: subscriber)
  }
}

/// A publisher that emits a single value, which is produced asynchronously.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
  // Sendable: a lock protects the mutable state.

  /// A closure that the app calls with the result.
  public typealias Promise = (Result<Output, Failure>) -> Void

  private let result = LockedBox<Result<Output, Failure>?>(nil)
  private let waiting = PassthroughSubject<Output, Failure>()

  /// Creates a publisher from a closure that produces the value.
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

  /// Attaches a subscriber to this publisher.
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
  /// A publisher of the notifications with the given name and, if specified, the given object.
  public struct Publisher: Combine.Publisher {
    /// The type of the values.
    public typealias Output = Notification
    /// The publisher never fails.
    public typealias Failure = Never

    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?

    /// Attaches a subscriber to this publisher.
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

  /// Returns a publisher of the notifications with the given name and, if specified, the given object.
  public func publisher(
    for name: Notification.Name, object: AnyObject? = nil
  ) -> NotificationCenter.Publisher { Publisher(center: self, name: name, object: object) }
}
