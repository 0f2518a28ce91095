import BelfryClient
public import Foundation

/// The delegate for the pushes of this module; called on the registry's queue.
///
/// Only the first member is required, and of a method's forms an app writes one.
@preconcurrency
public protocol PKPushRegistryDelegate: NSObjectProtocol {
  /// There is a token: after a registration, and whenever it changes.
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

  /// A push arrived.
  @available(iOS, deprecated: 11.0, message: "Use the form with a completion handler")
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType)

  /// A push arrived; the app calls the handler when it is done.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping @Sendable () -> Void)

  /// A push arrived.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) async

  /// A call comes in; the app calls the handler when it is done.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void)

  /// A call comes in.
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata
  ) async

  /// The token is no longer good.
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
  /// Does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType
  ) {}

  /// Calls the form without a handler.
  public func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping @Sendable () -> Void
  ) {
    pushRegistry(registry, didReceiveIncomingPushWith: payload, for: type)
    completion()
  }

  /// Calls the form with a completion handler, on the registry's queue.
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

  /// Calls the form for every type of push.
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

  /// Calls the form with a completion handler, on the registry's queue.
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

  /// Does nothing.
  public func pushRegistry(
    _ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType
  ) {}
}
