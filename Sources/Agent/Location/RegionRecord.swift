package import BelfryWire
package import AppWire

/// The key of a watched region.
package enum RegionKey: Hashable, Sendable {
  /// A notification that waits for a crossing of the region.
  case request(AppNotificationID)
  /// A region that an app monitors (`CLLocationManager`), identified by the app's own name for the region.
  case watched(AppID, UTF8Text)

  /// The app that the region belongs to.
  package var app: AppID {
    switch self {
    case .request(let key): key.app
    case .watched(let app, _): app
    }
  }
}

/// The stored form of a watched region.
package enum RegionRecord {
  static func name(_ key: RegionKey) -> String {
    switch key {
    case .request(let key): "request/\(key.recordKey)"
    case .watched(let app, let id): "watched/\(app)/\(id)"
    }
  }

  package static func key(_ name: String) -> RegionKey? {
    // Split by bytes: a slash followed by a combining mark is a single character.
    let parts = name.utf8.split(
      separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false
    ).map { String(Substring($0)) }
    guard parts.count == 3, let app = AppID(parts[1]) else { return nil }
    switch parts[0] {
    case "request": return .request(AppNotificationID(app: app, id: parts[2]))
    case "watched": return .watched(app, UTF8Text(parts[2]))
    default: return nil
    }
  }

  static func put(
    _ key: RegionKey, _ region: NotificationRegion, repeats: Bool, _ state: RegionState
  ) -> RecordChange {
    let known = RegionState.allCases.firstIndex(of: state) ?? 0
    let request = NotificationRequest(
      id: region.id, content: NotificationContent(), trigger: .region(region, repeats: repeats))
    return .put(.regions, key: name(key), [UInt8(known)] + request.encoded)
  }

  static func remove(_ key: RegionKey) -> RecordChange { .remove(.regions, key: name(key)) }

  package static func read(_ value: [UInt8]) -> (NotificationRegion, repeats: Bool, RegionState)? {
    guard let first = value.first, Int(first) < RegionState.allCases.count,
      let request = try? NotificationRequest(decoding: Array(value.dropFirst())),
      case .region(let region, let repeats)? = request.trigger
    else { return nil }
    return (region, repeats, RegionState.allCases[Int(first)])
  }
}
