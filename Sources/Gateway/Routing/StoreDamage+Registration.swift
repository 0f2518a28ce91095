internal import BelfryWire
internal import Storage

extension StoreDamage.Key {
  /// The registration of a device, an app and a kind.
  static func registration(_ key: NotificationKey) -> StoreDamage.Key {
    .registration(device: key.device, app: key.app, kind: key.kind)
  }
}
