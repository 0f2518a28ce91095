extension UIView {
  /// The view with the tag: this one, or its first descendant.
  public func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    return subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
  }

  /// Whether the view is the other one or its descendant.
  public func isDescendant(of view: UIView) -> Bool {
    sequence(first: self) { $0.superview }.contains { $0 === view }
  }

  /// Lets the view controllers of this view and of its descendants appear.
  func appearControllers() {
    viewController?.appear(animated: false)
    for view in subviews { view.appearControllers() }
  }

  /// Makes a view the only subview.
  func setOnlySubview(_ view: UIView?) {
    for other in subviews where other !== view { other.removeFromSuperview() }
    if let view, view.superview !== self { addSubview(view) }
  }
}
