public import Foundation

extension Bundle {
  /// No interface files on this system: nil, and the app makes its views itself.
  public func loadNibNamed(
    _ name: String, owner: Any?, options: [AnyHashable: Any]? = nil
  ) -> [Any]? { nil }
}
