internal import BelfryWire
public import Transport

extension PeerCertificate {
  /// The serial number in lowercase hexadecimal, which identifies a certificate in the control store, the admin API,
  /// and the user interface.
  public var serial: String { Hexadecimal.encode(serialNumber) }
}
