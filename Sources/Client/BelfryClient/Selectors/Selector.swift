/// A method to call later, which `Selector(method)` names in place of Apple's `#selector(method)`.
///
/// Swift has no Objective-C runtime on Linux, so a selector holds the method itself: of one object
/// (`Selector(tick)`, which keeps the object), or of a class (`Selector(Clock.tick)`, which is called on the target).
public struct Selector: @unchecked Sendable {
  // Sendable: the caller chooses the thread, as with Apple's selectors.
  private let body: (AnyObject, Any?) -> Void

  /// Calls the method; nothing happens if the target or the sender has another type than the method takes.
  public func callAsFunction(_ target: AnyObject, _ sender: Any?) { body(target, sender) }

  /// A method without arguments of one object.
  public init(_ method: @escaping () -> Void) {
    body = { _, _ in method() }
  }

  /// A method of one object with the sender as its argument.
  public init<Sender>(_ method: @escaping (Sender) -> Void) {
    body = { _, sender in
      if let sender = sender as? Sender { method(sender) }
    }
  }

  /// A method of one object with two arguments, such as an event and its reply: both are the sender.
  public init<Sender>(_ method: @escaping (Sender, Sender) -> Void) {
    body = { _, sender in
      if let sender = sender as? Sender { method(sender, sender) }
    }
  }

  /// A method without arguments of a class.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> () -> Void) {
    body = { target, _ in
      if let target = target as? Target { method(target)() }
    }
  }

  /// A method of a class with the sender as its argument.
  public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender) -> Void) {
    body = { target, sender in
      guard let target = target as? Target, let sender = sender as? Sender else { return }
      method(target)(sender)
    }
  }

  /// A method of a class with two arguments, such as an event and its reply: both are the sender.
  public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender, Sender) -> Void) {
    body = { target, sender in
      guard let target = target as? Target, let sender = sender as? Sender else { return }
      method(target)(sender, sender)
    }
  }
}

// Methods of the main actor have types of their own.
extension Selector {
  /// A method without arguments of one object, on the main actor.
  @_disfavoredOverload
  public init(_ method: @escaping @MainActor () -> Void) {
    self.init(unsafe unsafeBitCast(method, to: (() -> Void).self))
  }

  /// A method of one object with the sender as its argument, on the main actor.
  @_disfavoredOverload
  public init<Sender>(_ method: @escaping @MainActor (Sender) -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Sender) -> Void).self))
  }

  /// A method of one object with two arguments, such as an event and its reply: both are the sender, on the main actor.
  @_disfavoredOverload
  public init<Sender>(_ method: @escaping @MainActor (Sender, Sender) -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Sender, Sender) -> Void).self))
  }

  /// A method without arguments of a class, on the main actor.
  @_disfavoredOverload
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor () -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> () -> Void).self))
  }

  /// A method of a class with the sender as its argument, on the main actor.
  @_disfavoredOverload
  public init<Target: AnyObject, Sender>(
    _ method: @escaping (Target) -> @MainActor (Sender) -> Void
  ) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> (Sender) -> Void).self))
  }

  /// A method of a class with two arguments, such as an event and its reply: both are the sender, on the main actor.
  @_disfavoredOverload
  public init<Target: AnyObject, Sender>(
    _ method: @escaping (Target) -> @MainActor (Sender, Sender) -> Void
  ) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> (Sender, Sender) -> Void).self))
  }
}
