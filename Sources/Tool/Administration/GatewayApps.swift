import BelfryWire
import Gateway

/// The apps of a running gateway, which determine the topics that the gateway knows.
struct GatewayApps {
  /// The apps' bundle identifiers.
  let bundleIDs: [String]
  private let gateway: GatewayAccess

  /// Reads the apps of a gateway; nil if the gateway isn't running or can't be queried.
  init?(of gateway: GatewayAccess) {
    guard let lines = try? gateway.ask(.listTopics) else { return nil }
    bundleIDs = lines.compactMap { $0["topic"]?.stringValue }
    self.gateway = gateway
  }

  /// Returns whether a device has ever registered a token for this topic, which has the suffix of a push type; nil if
  /// the topic has no suffix, or if the devices are too many to check.
  func haveToken(for topic: String) -> Bool? {
    guard !bundleIDs.contains(where: { $0.hasSameBytes(as: topic) }),
      let devices = (try? gateway.ask(.listDevices(of: nil))) ?? nil,
      devices.count <= Self.checkedDevicesMax
    else { return nil }
    for device in devices {
      guard let number = device["device"].flatMap({ UInt64($0.stringValue ?? $0.text) }),
        let apps = (try? gateway.ask(.listDeviceApps(number: number))) ?? nil
      else { return nil }
      if apps.contains(where: { $0["topic"]?.stringValue?.hasSameBytes(as: topic) == true }) {
        return true
      }
    }
    return false
  }

  /// The number of devices up to which each device's apps are read, each with a request.
  private static let checkedDevicesMax = 100

  /// Returns true if one of the apps has this topic, with or without the suffix of a push type.
  func have(topic: String) -> Bool {
    bundleIDs.contains { id in
      TokenKind.allCases.contains { "\(id)\($0.topicSuffix)".hasSameBytes(as: topic) }
    }
  }
}
