public import Foundation

/// The delegate for what the user does with calls; called on the provider's queue.
///
/// Only `providerDidReset(_:)` is required. An action whose method the delegate leaves out fails.
@preconcurrency
public protocol CXProviderDelegate: NSObjectProtocol {
  /// The provider was invalidated: every call has ended.
  func providerDidReset(_ provider: CXProvider)

  /// The provider is ready.
  func providerDidBegin(_ provider: CXProvider)

  /// Whether the delegate carries out a whole transaction itself.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool

  /// The user starts a call.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)

  /// The user answers a call.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)

  /// The user ends or declines a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)

  /// The user holds or resumes a call.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)

  /// The user mutes a call or is heard again.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)

  /// An action was not completed in time; never called on this system.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
}

extension CXProviderDelegate {
  /// Does nothing.
  public func providerDidBegin(_ provider: CXProvider) {}

  /// Leaves the actions to the other methods.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }

  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }

  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }

  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }

  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    action.fail()
  }

  /// Fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    action.fail()
  }

  /// Does nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
}
