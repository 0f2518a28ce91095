extension UIView {
  /// The view of that tag: this one, or the first one in it.
  public func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    return subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
  }

  /// Whether it is in the other one, or is it.
  public func isDescendant(of view: UIView) -> Bool {
    sequence(first: self) { $0.superview }.contains { $0 === view }
  }

  /// The view controllers of this view and of those in it appear.
  func appearControllers() {
    viewController?.appear(animated: false)
    for view in subviews { view.appearControllers() }
  }

  /// Makes the other view the only one in this.
  func hold(_ view: UIView?) {
    for other in subviews where other !== view { other.removeFromSuperview() }
    if let view, view.superview !== self { addSubview(view) }
  }
}
