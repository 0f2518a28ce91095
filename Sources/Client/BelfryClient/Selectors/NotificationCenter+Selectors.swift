public import Foundation

extension NotificationCenter {
  /// Registers a method of an observer for the notifications with the given name; nil matches any name.
  ///
  /// The observer is not retained, and its registration is removed when the observer is deallocated.
  public func addObserver(
    _ observer: AnyObject, selector aSelector: Selector, name aName: Notification.Name?,
    object anObject: Any?
  ) { SelectorObservers.shared.add(observer, aSelector, aName, anObject, in: self) }

  /// Removes all registrations of an observer, or the registration that a token represents.
  public func removeObserver(_ observer: AnyObject) {
    SelectorObservers.shared.remove(observer, nil, nil, from: self)
    removeObserver(observer as Any)
  }

  /// Removes an observer's registrations for a name and an object; nil matches any name or object.
  public func removeObserver(
    _ observer: AnyObject, name aName: Notification.Name?, object anObject: Any?
  ) {
    SelectorObservers.shared.remove(observer, aName, anObject as AnyObject?, from: self)
    removeObserver(observer as Any, name: aName, object: anObject)
  }
}

/// The selector registrations of observers in all notification centers.
private final class SelectorObservers: @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
  private struct Entry {
    weak var observer: AnyObject?
    weak var center: NotificationCenter?
    let name: Notification.Name?
    weak var object: AnyObject?
    let token: any NSObjectProtocol
  }

  static let shared = SelectorObservers()

  private let entries = LockedBox<[ObjectIdentifier: [Entry]]>([:])

  func add(
    _ observer: AnyObject, _ selector: Selector, _ name: Notification.Name?, _ object: Any?,
    in center: NotificationCenter
  ) {
    let target = WeakObject(observer)
    let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
      guard let observer = target.object else { return }
      selector(observer, notification)
    }
    let entry = Entry(
      observer: observer, center: center, name: name, object: object as AnyObject?, token: token)
    let gone = entries.withLock { entries in
      let key = ObjectIdentifier(observer)
      // Remove the entries of a deallocated object that had the same address.
      let gone = (entries[key] ?? []).filter { $0.observer !== observer }
      entries[key] = (entries[key] ?? []).filter { $0.observer === observer } + [entry]
      return gone
    }
    for entry in gone { entry.center?.removeObserver(entry.token as Any) }
  }

  func remove(
    _ observer: AnyObject, _ name: Notification.Name?, _ object: AnyObject?,
    from center: NotificationCenter
  ) {
    let gone = entries.withLock { entries in
      let key = ObjectIdentifier(observer)
      func isMeant(_ entry: Entry) -> Bool {
        entry.observer !== observer
          || (entry.center === center && (name == nil || entry.name == name)
            && (object == nil || entry.object === object))
      }
      let own = entries[key] ?? []
      let rest = own.filter { !isMeant($0) }
      entries[key] = rest.isEmpty ? nil : rest
      return own.filter(isMeant)
    }
    for entry in gone { entry.center?.removeObserver(entry.token as Any) }
  }
}

/// A weak reference to an object, for closures that run on any thread.
private final class WeakObject: @unchecked Sendable {
  // Sendable: the reference is set once, and reading a weak reference is safe on any thread.
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
