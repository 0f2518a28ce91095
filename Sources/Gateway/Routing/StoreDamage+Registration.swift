internal import BelfryWire
internal import Storage

extension StoreDamage.Key {
  /// Returns the damage key of a registration, which identifies a device, an app, and a token kind.
  static func registration(_ key: NotificationKey) -> StoreDamage.Key {
    .registration(device: key.device, app: key.app, kind: key.kind)
  }
}
