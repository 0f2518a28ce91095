/// A source of values over time.
///
/// This module has what models of apps use: subjects, `ObservableObject`, `@Published`, notifications, and the
/// operators between them. Operators return an `AnyPublisher`.
public protocol Publisher<Output, Failure> {
  /// The type of the values.
  associatedtype Output
  /// The type of the error that can end them; `Never` if none can.
  associatedtype Failure: Error

  /// Attaches a subscriber.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber.
  public func subscribe<S: Subscriber>(_ subscriber: S)
  where S.Input == Output, S.Failure == Failure { receive(subscriber: subscriber) }

  /// Sends the values to a subject.
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    sink(
      receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
  }
}

/// A receiver of a publisher's values.
public protocol Subscriber<Input, Failure> {
  /// The type of the values.
  associatedtype Input
  /// The type of the error that can end them.
  associatedtype Failure: Error

  /// The publisher accepted the subscriber, which requests values by the subscription.
  func receive(subscription: any Subscription)

  /// A value arrived; returns how many more are wanted.
  func receive(_ input: Input) -> Subscribers.Demand

  /// No more values follow.
  func receive(completion: Subscribers.Completion<Failure>)
}

/// Something that can be stopped.
public protocol Cancellable {
  /// Stops it.
  func cancel()
}

/// A subscriber's connection to its publisher.
public protocol Subscription: Cancellable {
  /// Asks for values.
  func request(_ demand: Subscribers.Demand)
}

/// The types around subscribers.
public enum Subscribers {
  /// How many values are wanted.
  public struct Demand: Hashable, Sendable {
    /// The number; nil for all.
    public let max: Int?

    /// All values.
    public static let unlimited = Demand(max: nil)

    /// No value.
    public static let none = Demand(max: 0)

    /// A number of values.
    public static func max(_ value: Int) -> Demand { Demand(max: value) }

    /// The sum of two demands.
    public static func + (one: Demand, other: Demand) -> Demand {
      guard let first = one.max, let second = other.max else { return .unlimited }
      let (sum, overflows) = first.addingReportingOverflow(second)
      return overflows ? .unlimited : .max(sum)
    }

    /// Adds a demand.
    public static func += (one: inout Demand, other: Demand) { one = one + other }

    /// Takes one value of the demand; false if none is wanted.
    mutating func takeOne() -> Bool {
      guard let max else { return true }
      guard max > 0 else { return false }
      self = .max(max - 1)
      return true
    }
  }

  /// The end of a publisher's values.
  public enum Completion<Failure: Error> {
    /// There are no more.
    case finished
    /// An error ended them.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
