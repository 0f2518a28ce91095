internal import BelfryWire
internal import Storage

extension StoreDamage.Key {
  /// Returns the key of a registration, that is, of a device, an app, and a kind.
  static func registration(_ key: NotificationKey) -> StoreDamage.Key {
    .registration(device: key.device, app: key.app, kind: key.kind)
  }
}
