public import Foundation

extension NotificationCenter {
  /// An asynchronous sequence of the notifications that are posted after the sequence is created; use it in only one
  /// loop.
  public struct Notifications: AsyncSequence, Sendable {
    /// The type of the sequence's elements.
    public typealias Element = Notification

    let stream: AsyncStream<Posted>

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var posted: AsyncStream<Posted>.Iterator

      /// Returns the next notification, waiting for it if necessary; returns nil if the task is cancelled.
      public mutating func next() async -> Notification? { await next(isolation: nil) }

      /// Returns the next notification, waiting for it if necessary; returns nil if the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> Notification? { await posted.next(isolation: actor)?.notification }
    }

    /// Creates an iterator over the notifications.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(posted: stream.makeAsyncIterator())
    }
  }

  /// Returns a sequence of the notifications with the given name and, if specified, the given object.
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

  /// A notification that was posted.
  struct Posted: @unchecked Sendable {
    // Sendable: only one loop receives the notification, and the poster no longer uses it.
    let notification: Notification
  }

  private struct Observer: @unchecked Sendable {
    // Sendable: the token is a constant that only the notification center examines.
    let token: any NSObjectProtocol
  }
}
