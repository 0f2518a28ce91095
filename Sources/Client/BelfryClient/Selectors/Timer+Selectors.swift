public import Foundation

extension Timer {
  /// A timer of the current run loop that calls a method of the target, which it retains.
  @discardableResult
  public class func scheduledTimer(
    timeInterval ti: TimeInterval, target aTarget: AnyObject, selector aSelector: Selector,
    userInfo: Any?, repeats yesOrNo: Bool
  ) -> Timer {
    let target = MainThreadOnly(aTarget)
    return scheduledTimer(withTimeInterval: ti, repeats: yesOrNo) { timer in
      aSelector(target.value, timer)
    }
  }

  /// A timer that calls a method of the target, which it retains, once a run loop has it.
  public convenience init(
    timeInterval ti: TimeInterval, target aTarget: AnyObject, selector aSelector: Selector,
    userInfo: Any?, repeats yesOrNo: Bool
  ) {
    let target = MainThreadOnly(aTarget)
    self.init(timeInterval: ti, repeats: yesOrNo) { timer in aSelector(target.value, timer) }
  }
}

extension NSObjectProtocol {
  /// Calls a method of the object after some seconds, on the main thread.
  public func perform(
    _ aSelector: Selector, with anArgument: Any?, afterDelay delay: TimeInterval
  ) {
    let (target, argument) = (MainThreadOnly(self), MainThreadOnly(anArgument))
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) {
      aSelector(target.value as AnyObject, argument.value)
    }
  }
}
