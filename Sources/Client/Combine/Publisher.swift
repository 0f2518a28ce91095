/// A source of values over time.
///
/// This module contains the parts of Combine that apps typically use in their models: subjects, `ObservableObject`,
/// `@Published`, publishers of notifications, and operators. Each operator returns an `AnyPublisher`.
public protocol Publisher<Output, Failure> {
  /// The type of the values.
  associatedtype Output
  /// The type of error that the publisher can fail with; `Never` if it cannot fail.
  associatedtype Failure: Error

  /// Attaches a subscriber to this publisher.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber to this publisher.
  public func subscribe<S: Subscriber>(_ subscriber: S)
  where S.Input == Output, S.Failure == Failure { receive(subscriber: subscriber) }

  /// Forwards the values to a subject.
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    sink(
      receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
  }
}

/// A recipient of a publisher's values.
public protocol Subscriber<Input, Failure> {
  /// The type of the values.
  associatedtype Input
  /// The type of error that the publisher can fail with.
  associatedtype Failure: Error

  /// Receives the subscription, with which the subscriber requests values.
  func receive(subscription: any Subscription)

  /// Receives a value.
  ///
  /// Returns the number of additional values that the subscriber requests.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the completion, after which no more values follow.
  func receive(completion: Subscribers.Completion<Failure>)
}

/// An activity that can be cancelled.
public protocol Cancellable {
  /// Cancels the activity and releases its resources.
  func cancel()
}

/// A subscriber's connection to its publisher.
public protocol Subscription: Cancellable {
  /// Requests a number of values.
  func request(_ demand: Subscribers.Demand)
}

/// A namespace for types that relate to subscribers.
public enum Subscribers {
  /// The number of values that a subscriber requests.
  public struct Demand: Hashable, Sendable {
    /// The number of values; nil for all.
    public let max: Int?

    /// A demand for all values.
    public static let unlimited = Demand(max: nil)

    /// A demand for no values.
    public static let none = Demand(max: 0)

    /// Returns a demand for a number of values.
    public static func max(_ value: Int) -> Demand { Demand(max: value) }

    /// Returns the sum of two demands.
    public static func + (one: Demand, other: Demand) -> Demand {
      guard let first = one.max, let second = other.max else { return .unlimited }
      let (sum, overflows) = first.addingReportingOverflow(second)
      return overflows ? .unlimited : .max(sum)
    }

    /// Adds a demand to another.
    public static func += (one: inout Demand, other: Demand) { one = one + other }

    /// Subtracts one value from the demand.
    ///
    /// Returns false if no value is requested.
    mutating func takeOne() -> Bool {
      guard let max else { return true }
      guard max > 0 else { return false }
      self = .max(max - 1)
      return true
    }
  }

  /// The end of a publisher's values.
  public enum Completion<Failure: Error> {
    /// The publisher finished normally, after its last value.
    case finished
    /// The publisher failed with an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
