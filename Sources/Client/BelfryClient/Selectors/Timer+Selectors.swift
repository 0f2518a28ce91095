public import Foundation

extension Timer {
  /// Creates a timer on the current run loop that calls a method of the target.
  ///
  /// The timer retains the target.
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

  /// Creates a timer that calls a method of the target; the timer runs once it is added to a run loop.
  ///
  /// The timer retains the target.
  public convenience init(
    timeInterval ti: TimeInterval, target aTarget: AnyObject, selector aSelector: Selector,
    userInfo: Any?, repeats yesOrNo: Bool
  ) {
    let target = MainThreadOnly(aTarget)
    self.init(timeInterval: ti, repeats: yesOrNo) { timer in aSelector(target.value, timer) }
  }
}

extension NSObjectProtocol {
  /// Calls a method of the object on the main thread after a delay in seconds.
  public func perform(
    _ aSelector: Selector, with anArgument: Any?, afterDelay delay: TimeInterval
  ) {
    let (target, argument) = (MainThreadOnly(self), MainThreadOnly(anArgument))
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) {
      aSelector(target.value as AnyObject, argument.value)
    }
  }
}
