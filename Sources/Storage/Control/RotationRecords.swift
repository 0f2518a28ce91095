/// The information about a device's connection that rotations need: the certificate that the device presented, and the
/// key that sealed its tokens.
public struct DeviceArrival: Sendable, Hashable {
  /// The number of the device.
  public var device: UInt64
  /// The serial number of the device's certificate, in lowercase hexadecimal.
  public var serial: String
  /// The name of the key that sealed the device's tokens.
  public var tokenKey: String

  /// Creates an arrival from its parts.
  public init(device: UInt64, serial: String, tokenKey: String) {
    self.device = device
    self.serial = serial
    self.tokenKey = tokenKey
  }
}

/// The progress of devices in a rotation of certificates; revoked devices do not count.
public struct DeviceCertificateSummary: Sendable, Hashable {
  /// The number of devices.
  public var devices: Int
  /// The number of devices that have presented a certificate from the given authority.
  public var haveShown: Int
  /// The earliest expiration after the given time, in seconds since 1970, among the latest certificates that the
  /// devices have presented; nil if no certificate expires after that time.
  public var firstEnd: Int64?

  /// The number of devices that have not presented a certificate from the given authority.
  public var waiting: Int { devices - haveShown }

  /// Creates a summary from its parts.
  public init(devices: Int, haveShown: Int, firstEnd: Int64?) {
    assert(
      0...devices ~= haveShown,
      "the number of devices is within the total: \(haveShown) of \(devices)")
    self.devices = devices
    self.haveShown = haveShown
    self.firstEnd = firstEnd
  }
}
