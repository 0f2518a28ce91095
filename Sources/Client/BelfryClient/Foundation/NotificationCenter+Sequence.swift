public import Foundation

extension NotificationCenter {
  /// The notifications that are posted from its making on, for one loop.
  public struct Notifications: AsyncSequence, Sendable {
    /// What a loop gets.
    public typealias Element = Notification

    let stream: AsyncStream<Posted>

    /// The notifications in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var posted: AsyncStream<Posted>.Iterator

      /// Waits for the next notification; nil when the task was cancelled.
      public mutating func next() async -> Notification? { await next(isolation: nil) }

      /// Waits for the next notification; nil when the task was cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> Notification? { await posted.next(isolation: actor)?.notification }
    }

    /// Starts the sequence.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(posted: stream.makeAsyncIterator())
    }
  }

  /// The notifications of a name, and of an object where one is given, as they are posted.
  public func notifications(
    named name: Notification.Name, object: AnyObject? = nil
  ) -> Notifications {
    let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
    let observer = Observer(
      token: addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Posted(notification: $0))
      })
    continuation.onTermination = { [weak self] _ in self?.removeObserver(observer.token) }
    return Notifications(stream: stream)
  }

  /// One that was posted.
  struct Posted: @unchecked Sendable {
    // Sendable: one loop takes it, and the poster has done with it.
    let notification: Notification
  }

  private struct Observer: @unchecked Sendable {
    // Sendable: the token is a constant that the center alone looks into.
    let token: any NSObjectProtocol
  }
}
