import BelfryClient

/// An object that tells its subscribers before one of its published properties changes.
public protocol ObservableObject: AnyObject {
  /// The type of the publisher that tells.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Tells before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

/// Tells that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// No value.
  public typealias Output = Void
  /// No error ends it.
  public typealias Failure = Never

  private let conduits = Conduits<Void, Never>()

  /// A publisher without subscribers.
  public init() {}

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    conduits.add(AnySubscriber(subscriber))
  }

  /// Tells the subscribers.
  public func send() { conduits.send(()) }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Tells before a published property changes, and whenever the object itself sends.
  public var objectWillChange: ObservableObjectPublisher {
    Announcers.shared.announcer(of: self)
  }
}

/// The publishers of objects that have no property for one.
final class Announcers: @unchecked Sendable {
  // Sendable: what changes is behind a lock.
  private struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of objects that are gone are removed.
    var sweepsAt = 64
  }

  static let shared = Announcers()

  private let state = LockedBox(State())

  func announcer(of object: AnyObject) -> ObservableObjectPublisher {
    let (publisher, isNew) = state.withLock { state in
      let key = ObjectIdentifier(object)
      if let entry = state.entries[key], entry.object === object { return (entry.publisher, false) }
      if state.entries.count >= state.sweepsAt {
        state.entries = state.entries.filter { $0.value.object != nil }
        state.sweepsAt = max(64, state.entries.count * 2)
      }
      let publisher = ObservableObjectPublisher()
      state.entries[key] = Entry(object: object, publisher: publisher)
      return (publisher, true)
    }
    if isNew { install(publisher, in: object) }
    return publisher
  }

  /// Has the object's published properties tell by the publisher.
  private func install(_ publisher: ObservableObjectPublisher, in object: AnyObject) {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror {
      for child in level.children {
        (child.value as? any PublishesChanges)?.announcer.withLock { $0 = publisher }
      }
      mirror = level.superclassMirror
    }
  }
}
