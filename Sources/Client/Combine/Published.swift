import BelfryClient

/// A property whose changes are published by `$property` and by the object that it belongs to.
///
/// As on Apple's systems, subscribers are notified before the property has its new value.
@propertyWrapper
public struct Published<Value> {
  let storage: PublishedStorage<Value>

  /// Creates a property with an initial value.
  public init(wrappedValue: Value) { storage = PublishedStorage(wrappedValue) }

  /// Creates a property with an initial value.
  public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

  /// A publisher of the property's values, beginning with the current one.
  public struct Publisher: Combine.Publisher {
    /// The type of the values.
    public typealias Output = Value
    /// The publisher never fails.
    public typealias Failure = Never

    let storage: PublishedStorage<Value>

    /// Attaches a subscriber to this publisher.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      storage.subject.receive(subscriber: subscriber)
    }

    /// Sets the property to each value of a publisher.
    func follow<P: Combine.Publisher>(_ publisher: P) where P.Output == Value, P.Failure == Never {
      storage.follow(publisher.sink { [weak storage] in storage?.set($0) })
    }
  }

  /// A publisher of the property's values, beginning with the current one.
  public var projectedValue: Publisher {
    get { Publisher(storage: storage) }
    set {
      // Passing `&object.$property` to `assign(to:)` writes the property's own publisher back, which changes nothing.
      guard newValue.storage !== storage else { return }
      storage.follow(newValue.sink { [weak storage] in storage?.set($0) })
    }
  }

  /// Unavailable: a published property must belong to a class.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.set(newValue) }
  }

  /// Gets and sets the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].storage.value }
    set { object[keyPath: storageKeyPath].storage.set(newValue) }
  }
}

/// A published property, regardless of the type of its value; `Announcers` finds these properties by reflection.
protocol PublishesChanges {
  var announcer: LockedBox<ObservableObjectPublisher?> { get }
}

extension Published: PublishesChanges {
  var announcer: LockedBox<ObservableObjectPublisher?> { storage.announcer }
}

/// The value of a published property, shared by all copies of the wrapper.
final class PublishedStorage<Value>: @unchecked Sendable {
  // Sendable: a lock protects the mutable state.
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

  /// Retains the subscription that sets the property.
  func follow(_ subscription: AnyCancellable) { source.withLock { $0 = subscription } }
}
