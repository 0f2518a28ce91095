public import Foundation

extension UserDefaults {
  /// Stores a property-list value, as `set(_:forKey:)` does; nil removes it.
  public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

  /// The stored value, as `object(forKey:)` returns it.
  public func value(forKey key: String) -> Any? { object(forKey: key) }
}
