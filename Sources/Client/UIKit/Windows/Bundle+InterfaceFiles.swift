public import Foundation

extension Bundle {
  /// Returns nil, because there are no interface files on this system; the app creates its views in code.
  public func loadNibNamed(
    _ name: String, owner: Any?, options: [AnyHashable: Any]? = nil
  ) -> [Any]? { nil }
}
