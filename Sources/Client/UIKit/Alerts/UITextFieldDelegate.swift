public import Foundation

/// The delegate of a text field; never called on this system, where no text is edited.
///
/// What is typed in answer to a question is in the field when the answer arrives.
///
/// Every member is optional.
@MainActor
public protocol UITextFieldDelegate: NSObjectProtocol {
  /// Whether writing may begin; never called on this system.
  func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool

  /// Writing began; never called on this system.
  func textFieldDidBeginEditing(_ textField: UITextField)

  /// Writing ended; never called on this system.
  func textFieldDidEndEditing(_ textField: UITextField)

  /// Whether the text may change; never called on this system.
  func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange,
    replacementString string: String
  ) -> Bool

  /// Whether the return key is heard; never called on this system.
  func textFieldShouldReturn(_ textField: UITextField) -> Bool
}

extension UITextFieldDelegate {
  /// Allows it.
  public func textFieldShouldBeginEditing(_ textField: UITextField) -> Bool { true }

  /// Does nothing.
  public func textFieldDidBeginEditing(_ textField: UITextField) {}

  /// Does nothing.
  public func textFieldDidEndEditing(_ textField: UITextField) {}

  /// Allows it.
  public func textField(
    _ textField: UITextField, shouldChangeCharactersIn range: NSRange,
    replacementString string: String
  ) -> Bool { true }

  /// Allows it.
  public func textFieldShouldReturn(_ textField: UITextField) -> Bool { true }
}
