extension UIView {
  /// Returns the view with the tag: this view, or its first matching descendant.
  public func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    return subviews.lazy.compactMap { $0.viewWithTag(tag) }.first
  }

  /// Returns whether the view is the other view or one of its descendants.
  public func isDescendant(of view: UIView) -> Bool {
    sequence(first: self) { $0.superview }.contains { $0 === view }
  }

  /// Calls the appearance methods of the view controllers of this view and its descendants.
  func appearControllers() {
    viewController?.appear(animated: false)
    for view in subviews { view.appearControllers() }
  }

  /// Makes a view the only subview; nil removes all subviews.
  func setOnlySubview(_ view: UIView?) {
    for other in subviews where other !== view { other.removeFromSuperview() }
    if let view, view.superview !== self { addSubview(view) }
  }
}
