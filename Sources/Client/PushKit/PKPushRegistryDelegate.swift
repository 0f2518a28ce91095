import BelfryClient
public import Foundation

/// The delegate for the pushes that this module handles; called on the registry's queue.
///
/// Only the first member is required. If a method has several variants, an app implements one of them.
@preconcurrency
public protocol PKPushRegistryDelegate: NSObjectProtocol {
  /// Delivers the token after a registration and whenever the token changes.
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

  /// Delivers a push that arrived for the app.
  @available(iOS, deprecated: 11.0, message: "Use the form with a completion handler")
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType)

  /// Delivers a push; the app calls the handler after it has processed the push.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping @Sendable () -> Void)

  /// Delivers a push; the method returns after the app has processed the push.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) async

  /// Delivers a push for an incoming call; the app calls the handler after it has processed the push.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void)

  /// Delivers a push for an incoming call; the method returns after the app has processed the push.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata
  ) async

  /// Tells the delegate that the token is no longer valid.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
  /// The default implementation does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) {}

  /// Calls the variant without a handler.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping @Sendable () -> Void
  ) {
    pushRegistry(registry, didReceiveIncomingPushWith: payload, for: type)
    completion()
  }

  /// Calls the variant with a completion handler, on the registry's queue.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) async {
    let delegate = MainThreadOnly<any PKPushRegistryDelegate>(self)
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      registry.queue.async {
        delegate.value.pushRegistry(registry, didReceiveIncomingPushWith: payload, for: type) {
          done.call(())
        }
      }
    }
  }

  /// Calls the asynchronous method that handles pushes of all types.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void
  ) {
    let delegate = MainThreadOnly<any PKPushRegistryDelegate>(self)
    Task {
      await delegate.value.pushRegistry(registry, didReceiveIncomingPushWith: payload, for: .voIP)
      completion()
    }
  }

  /// Calls the variant with a completion handler, on the registry's queue.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata
  ) async {
    let delegate = MainThreadOnly<any PKPushRegistryDelegate>(self)
    await withCheckedContinuation { continuation in
      let done = CallOnce<Void> { continuation.resume() }
      registry.queue.async {
        delegate.value.pushRegistry(
          registry, didReceiveIncomingVoIPPushWith: payload, metadata: metadata
        ) { done.call(()) }
      }
    }
  }

  /// The default implementation does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType
  ) {}
}
