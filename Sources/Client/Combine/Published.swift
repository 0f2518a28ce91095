import BelfryClient

/// A property whose changes are published by `$property`, and by the object that it belongs to.
///
/// As on Apple's systems the subscribers learn of a change before the property has its new value.
@propertyWrapper
public struct Published<Value> {
  let storage: PublishedStorage<Value>

  /// A property with its first value.
  public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

  /// A property with its first value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// The property's values, the present one first.
  public struct Publisher: Combine.Publisher {
    /// The type of the values.
    public typealias Output = Value
    /// No error ends them.
    public typealias Failure = Never

    let storage: PublishedStorage<Value>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      storage.subject.receive(subscriber: subscriber)
    }

    /// Sets the property to each value of a publisher.
    func follow<P: Combine.Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Never {
      storage.follow(publisher.sink { [weak storage] in storage?.set($0) })
    }
  }

  /// The property's values, the present one first.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    set {
      // `assign(to: &object.$property)` writes the property's own publisher back.
      guard newValue.storage !== storage else { return }
      storage.follow(newValue.sink { [weak storage] in storage?.set($0) })
    }
  }

  /// A property of this kind belongs to a class.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.set(newValue) }
  }

  /// Reads and sets the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.set(newValue) }
  }
}

/// A published property of any type, as `ObservableObject` finds it.
protocol PublishesChanges {
  var announcer: LockedBox<ObservableObjectPublisher?> { get }
}

extension Published: PublishesChanges {
  var announcer: LockedBox<ObservableObjectPublisher?> { storage.announcer }
}

/// The value of a published property, which copies of the wrapper share.
final class PublishedStorage<Value>: @unchecked Sendable {
  // Sendable: what changes is behind a lock.
  private let current: LockedBox<Value>
  private let source = LockedBox<AnyCancellable?>(nil)
  let subject: CurrentValueSubject<Value, Never>
  let announcer = LockedBox<ObservableObjectPublisher?>(nil)

  init(_ value: Value) {
    current = LockedBox(value)
    subject = CurrentValueSubject(value)
  }

  var value: Value { current.withLock { $0 } }

  func set(_ value: Value) {
    announcer.withLock { $0 }?.send()
    subject.send(value)
    current.withLock { $0 = value }
  }

  /// Keeps the subscription that sets the property.
  func follow(_ subscription: AnyCancellable) { source.withLock { $0 = subscription } }
}
