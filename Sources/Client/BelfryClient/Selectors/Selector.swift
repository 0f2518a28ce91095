/// A method to call later.
///
/// Write `Selector(method)` instead of Apple's `#selector(method)`.
///
/// Swift has no Objective-C runtime on Linux, so a selector stores the method itself. This method is either the method
/// of an object (`Selector(tick)`, which retains the object), or the method of a class (`Selector(Clock.tick)`, which
/// is called on the target).
public struct Selector: @unchecked Sendable {
  // Sendable: as with Apple's selectors, the caller chooses the thread.
  private let body: (AnyObject, Any?) -> Void

  /// Calls the method.
  ///
  /// Nothing happens if the type of the target or the sender does not match the method.
  public func callAsFunction(_ target: AnyObject, _ sender: Any?) { body(target, sender) }

  /// Creates a selector from an object's method without arguments.
  public init(_ method: @escaping () -> Void) {
    body = { _, _ in method() }
  }

  /// Creates a selector from an object's method that takes the sender.
  public init<Sender>(_ method: @escaping (Sender) -> Void) {
    body = { _, sender in
      if let sender = sender as? Sender { method(sender) }
    }
  }

  /// Creates a selector from an object's method that takes two arguments of the same type, such as an event and its
  /// reply.
  ///
  /// Both arguments receive the sender.
  public init<Sender>(_ method: @escaping (Sender, Sender) -> Void) {
    body = { _, sender in
      if let sender = sender as? Sender { method(sender, sender) }
    }
  }

  /// Creates a selector from a class's method without arguments.
  public init<Target: AnyObject>(_ method: @escaping (Target) -> () -> Void) {
    body = { target, _ in
      if let target = target as? Target { method(target)() }
    }
  }

  /// Creates a selector from a class's method that takes the sender.
  public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender) -> Void) {
    body = { target, sender in
      guard let target = target as? Target, let sender = sender as? Sender else { return }
      method(target)(sender)
    }
  }

  /// Creates a selector from a class's method that takes two arguments of the same type, such as an event and its
  /// reply.
  ///
  /// Both arguments receive the sender.
  public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender, Sender) -> Void) {
    body = { target, sender in
      guard let target = target as? Target, let sender = sender as? Sender else { return }
      method(target)(sender, sender)
    }
  }
}

// Methods on the main actor have different types, so they need their own initializers.
extension Selector {
  /// Creates a selector from an object's main-actor method without arguments.
  @_disfavoredOverload
  public init(_ method: @escaping @MainActor () -> Void) {
    self.init(unsafe unsafeBitCast(method, to: (() -> Void).self))
  }

  /// Creates a selector from an object's main-actor method that takes the sender.
  @_disfavoredOverload
  public init<Sender>(_ method: @escaping @MainActor (Sender) -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Sender) -> Void).self))
  }

  /// Creates a selector from an object's main-actor method that takes two arguments of the same type, such as an event
  /// and its reply.
  ///
  /// Both arguments receive the sender.
  @_disfavoredOverload
  public init<Sender>(_ method: @escaping @MainActor (Sender, Sender) -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Sender, Sender) -> Void).self))
  }

  /// Creates a selector from a class's main-actor method without arguments.
  @_disfavoredOverload
  public init<Target: AnyObject>(_ method: @escaping (Target) -> @MainActor () -> Void) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> () -> Void).self))
  }

  /// Creates a selector from a class's main-actor method that takes the sender.
  @_disfavoredOverload
  public init<Target: AnyObject, Sender>(
    _ method: @escaping (Target) -> @MainActor (Sender) -> Void
  ) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> (Sender) -> Void).self))
  }

  /// Creates a selector from a class's main-actor method that takes two arguments of the same type, such as an event
  /// and its reply.
  ///
  /// Both arguments receive the sender.
  @_disfavoredOverload
  public init<Target: AnyObject, Sender>(
    _ method: @escaping (Target) -> @MainActor (Sender, Sender) -> Void
  ) {
    self.init(unsafe unsafeBitCast(method, to: ((Target) -> (Sender, Sender) -> Void).self))
  }
}
