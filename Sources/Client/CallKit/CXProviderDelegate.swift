public import Foundation

/// The delegate that performs the user's call actions; called on the provider's queue.
///
/// Only `providerDidReset(_:)` is required. If the delegate does not implement the method for an action, the action
/// fails.
@preconcurrency
public protocol CXProviderDelegate: NSObjectProtocol {
  /// Tells the delegate that the provider was invalidated and that all its calls have ended.
  func providerDidReset(_ provider: CXProvider)

  /// Tells the delegate that the provider is ready.
  func providerDidBegin(_ provider: CXProvider)

  /// Returns whether the delegate performs an entire transaction itself.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool

  /// Starts a call that the user requested.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)

  /// Answers an incoming call; the delegate must call `fulfill()` or `fail()` on the action when done.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)

  /// Ends or declines a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)

  /// Holds or resumes a call.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)

  /// Mutes or unmutes a call.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)

  /// Tells the delegate that an action was not completed before its deadline; never called on this system.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
}

extension CXProviderDelegate {
  /// The default implementation does nothing.
  public func providerDidBegin(_ provider: CXProvider) {}

  /// Returns false, so that each action is passed to its own method.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }

  /// The default implementation fails the action.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }

  /// The default implementation fails the action.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }

  /// The default implementation fails the action.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }

  /// The default implementation fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
    action.fail()
  }

  /// The default implementation fails the action.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
    action.fail()
  }

  /// The default implementation does nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
}
