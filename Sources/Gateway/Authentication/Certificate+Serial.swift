internal import BelfryWire
public import Transport

extension PeerCertificate {
  /// The serial number in lower-case hexadecimal, as the control store, the admin API and people name
  /// a certificate.
  public var serial: String { Hexadecimal.encode(serialNumber) }
}
