public import Foundation

/// Told what happens in a field for text: nothing does on this system.
///
/// What is typed in answer to a question is in the field when its answer is told.
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
