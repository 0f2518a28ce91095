public import Foundation

extension UserDefaults {
  /// Stores a property-list value, as `set(_:forKey:)` does; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// Returns the stored value, as `object(forKey:)` does.
  public func value(forKey key: String) -> Any? { object(forKey: key) }
}
