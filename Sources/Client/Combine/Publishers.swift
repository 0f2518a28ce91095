extension Publisher {
  /// Publishes the latest values of three publishers together, after each publisher has emitted at least one.
  public func combineLatest<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure>
  where P.Failure == Failure, Q.Failure == Failure {
    combineLatest(publisher1).combineLatest(publisher2)
      .map { values in (values.0.0, values.0.1, values.1) }
  }

  /// Publishes the latest values of four publishers together, after each publisher has emitted at least one.
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> AnyPublisher<(Output, P.Output, Q.Output, R.Output), Failure>
  where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
    combineLatest(publisher1, publisher2).combineLatest(publisher3)
      .map { values in (values.0.0, values.0.1, values.0.2, values.1) }
  }

  /// Publishes the result of a closure that combines the latest values of both publishers.
  public func combineLatest<P: Publisher, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
    combineLatest(other).map { values in transform(values.0, values.1) }
  }

  /// Publishes the result of a closure that combines the latest values of three publishers.
  public func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> AnyPublisher<T, Failure> where P.Failure == Failure, Q.Failure == Failure {
    combineLatest(publisher1, publisher2)
      .map { values in transform(values.0, values.1, values.2) }
  }

  /// Publishes the values of three publishers until all have finished or one has failed.
  public func merge<P: Publisher, Q: Publisher>(
    with publisher1: P, _ publisher2: Q
  ) -> AnyPublisher<Output, Failure>
  where P.Output == Output, P.Failure == Failure, Q.Output == Output, Q.Failure == Failure {
    merge(with: publisher1).merge(with: publisher2)
  }
}

/// A namespace for publishers that combine others.
public enum Publishers {
  /// A publisher of the latest values of two publishers, after each has emitted at least one.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    /// The type of the values: a tuple of the publishers' values.
    public typealias Output = (A.Output, B.Output)
    /// The type of error of both publishers.
    public typealias Failure = A.Failure

    /// The first publisher, whose value is the tuple's first element.
    public let a: A
    /// The second publisher, whose value is the tuple's second element.
    public let b: B

    /// Combines two publishers, to which nothing subscribes yet.
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber to both publishers.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      a.combineLatest(b).receive(subscriber: subscriber)
    }
  }

  /// A publisher of the latest values of three publishers, after each has emitted at least one.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    /// The type of the values: a tuple of the publishers' values.
    public typealias Output = (A.Output, B.Output, C.Output)
    /// The type of error of all publishers.
    public typealias Failure = A.Failure

    /// The first publisher, whose value is the tuple's first element.
    public let a: A
    /// The second publisher, whose value is the tuple's second element.
    public let b: B
    /// The third publisher, whose value is the tuple's third element.
    public let c: C

    /// Combines three publishers, to which nothing subscribes yet.
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber to all three publishers.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      a.combineLatest(b, c).receive(subscriber: subscriber)
    }
  }

  /// A publisher of the latest values of four publishers, after each has emitted at least one.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    /// The type of the values: a tuple of the publishers' values.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    /// The type of error of all publishers.
    public typealias Failure = A.Failure

    /// The first publisher, whose value is the tuple's first element.
    public let a: A
    /// The second publisher, whose value is the tuple's second element.
    public let b: B
    /// The third publisher, whose value is the tuple's third element.
    public let c: C
    /// The fourth publisher, whose value is the tuple's fourth element.
    public let d: D

    /// Combines four publishers, to which nothing subscribes yet.
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Attaches a subscriber to all four publishers.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      a.combineLatest(b, c, d).receive(subscriber: subscriber)
    }
  }

  /// A publisher of the values of two publishers, until both have finished or one has failed.
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure, A.Output == B.Output {
    /// The type of the values of both publishers.
    public typealias Output = A.Output
    /// The type of error of both publishers.
    public typealias Failure = A.Failure

    /// The first publisher, to which a subscriber is attached first.
    public let a: A
    /// The second publisher, to which a subscriber is attached second.
    public let b: B

    /// Merges two publishers, to which nothing subscribes yet.
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber to both publishers.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      a.merge(with: b).receive(subscriber: subscriber)
    }
  }
}
