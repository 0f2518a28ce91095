public import Foundation

/// The delegate of a text field; never called on this system, where text fields are not edited.
///
/// When the user answers an alert with text, the field already contains that text when the answer arrives.
///
/// Every member is optional.
@MainActor
public protocol UITextFieldDelegate: NSObjectProtocol {
  /// Returns whether editing may begin; never called on this system.
  func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool

  /// Tells the delegate that editing began; never called on this system.
  func textFieldDidBeginEditing(_ textField: UITextField)

  /// Tells the delegate that editing ended; never called on this system.
  func textFieldDidEndEditing(_ textField: UITextField)

  /// Returns whether the text may change; never called on this system.
  func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange,
    replacementString string: String
  ) -> Bool

  /// Returns whether the field processes the return key; never called on this system.
  func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

extension UITextFieldDelegate {
  /// The default implementation returns true.
  public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }

  /// The default implementation does nothing.
  public func textFieldDidBeginEditing(_ textField: UITextField) {}

  /// The default implementation does nothing.
  public func textFieldDidEndEditing(_ textField: UITextField) {}

  /// The default implementation returns true.
  public func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange,
    replacementString string: String
  ) -> Bool { true }

  /// The default implementation returns true.
  public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}
