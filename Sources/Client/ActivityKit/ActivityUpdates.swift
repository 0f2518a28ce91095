import BelfryClient
import Foundation

/// An asynchronous sequence of values, beginning with the current value, if any.
public struct ActivityUpdates<Element: Sendable>: AsyncSequence, Sendable {
  let source: ValueStreams<Element>

  /// An iterator over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: AsyncStream<Element>.Iterator

    /// Returns the next value, waiting for it if necessary; returns nil if the task is cancelled or the sequence has
    /// ended.
    public mutating func next() async -> Element? { await iterator.next(isolation: nil) }

    /// Returns the next value, waiting for it if necessary; returns nil if the task is cancelled or the sequence has
    /// ended.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await iterator.next(isolation: actor)
    }
  }

  /// Creates an iterator over the values.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: source.stream().makeAsyncIterator())
  }
}

/// A value, and the streams that deliver its changes.
final class ValueStreams<Element: Sendable>: Sendable {
  /// The maximum number of values to buffer for a slow reader.
  ///
  /// If a stream exceeds this limit, it drops the oldest values.
  private static var bufferedMax: Int { 64 }

  private struct State {
    var value: Element?
    var continuations: [UUID: AsyncStream<Element>.Continuation] = [:]
    var isFinished = false
  }

  private let state: LockedBox<State>
  private let replays: Bool

  /// Creates an object that delivers the changes of a value.
  ///
  /// If `replays` is true, each stream begins with the current value. For events, which have no current value,
  /// `replays` is false.
  init(_ value: Element? = nil, replays: Bool = true) {
    state = LockedBox(State(value: value))
    self.replays = replays
  }

  var value: Element? { state.withLock { $0.value } }

  func send(_ value: Element) {
    let continuations = state.withLock { state in
      state.value = value
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.yield(value) }
  }

  /// Ends the streams, and every stream that is created later, after its first value.
  func finish() {
    let continuations = state.withLock { state in
      state.isFinished = true
      return Array(state.continuations.values)
    }
    for continuation in continuations { continuation.finish() }
  }

  func stream() -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self, bufferingPolicy: .bufferingNewest(Self.bufferedMax))
    let id = UUID()
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
    }
    let (value, isFinished) = state.withLock { state in
      if !state.isFinished { state.continuations[id] = continuation }
      return (replays ? state.value : nil, state.isFinished)
    }
    if let value { continuation.yield(value) }
    if isFinished { continuation.finish() }
    return stream
  }
}
