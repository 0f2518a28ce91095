import BelfryClient

/// An object that notifies its subscribers before one of its published properties changes.
public protocol ObservableObject: AnyObject {
  /// The type of the publisher that announces changes.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// A publisher that emits before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

/// A publisher that emits before an object changes.
public final class ObservableObjectPublisher: Publisher, Sendable {
  /// The type of the values, which contain no data.
  public typealias Output = Void
  /// The publisher never fails.
  public typealias Failure = Never

  private let conduits = Conduits<Void, Never>()

  /// Creates a publisher without subscribers.
  public init() {}

  /// Attaches a subscriber to this publisher.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    conduits.add(AnySubscriber(subscriber))
  }

  /// Notifies the subscribers of a change.
  public func send() { conduits.send(()) }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// A publisher that emits before a published property changes, and whenever the app calls its `send()` method.
  public var objectWillChange: ObservableObjectPublisher {
    Announcers.shared.announcer(of: self)
  }
}

/// The change publishers of all observable objects that do not define their own publisher.
final class Announcers: @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  private struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which the entries of deallocated objects are removed.
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

  /// Makes the object's published properties notify the publisher before they change.
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
