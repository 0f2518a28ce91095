/// A device's connection, as far as rotations have to know: which certificate it showed, and which key sealed the
/// tokens that it was given.
public struct DeviceArrival: Sendable, Hashable {
  /// The device's number.
  public var device: UInt64
  /// The serial number of its certificate, in lower-case hexadecimal.
  public var serial: String
  /// The name of the key that sealed its tokens.
  public var tokenKey: String

  /// An arrival from its parts.
  public init(device: UInt64, serial: String, tokenKey: String) {
    self.device = device
    self.serial = serial
    self.tokenKey = tokenKey
  }
}

/// How far the devices have come with certificates; revoked ones do not count.
public struct DeviceCertificateSummary: Sendable, Hashable {
  /// How many devices there are.
  public var devices: Int
  /// How many have shown a certificate of the authority that was asked about.
  public var haveShown: Int
  /// Of the certificates that devices have shown, each device's latest, the end of the one that ends first after the given
  /// time, in seconds since 1970; nil without any.
  public var firstEnd: Int64?

  /// How many have not.
  public var waiting: Int { devices - haveShown }

  /// A summary from its parts.
  public init(devices: Int, haveShown: Int, firstEnd: Int64?) {
    assert(0...devices ~= haveShown, "\(haveShown) of \(devices) devices")
    self.devices = devices
    self.haveShown = haveShown
    self.firstEnd = firstEnd
  }
}
