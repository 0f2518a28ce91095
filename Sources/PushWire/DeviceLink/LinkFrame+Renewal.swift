extension LinkFrame {
  /// A device's new certificate and the authorities that the device should trust from now on.
  public struct Renewed: Hashable, Sendable {
    /// The device's certificate in DER.
    public var certificate: [UInt8]
    /// The authorities in DER; the authority that signed the certificate is first.
    public var authorities: [[UInt8]]

    /// Creates a renewal from a certificate and its authorities.
    public init(certificate: [UInt8], authorities: [[UInt8]]) {
      self.certificate = certificate
      self.authorities = authorities
    }

    /// The length of the frame's body in bytes.
    public var bodyBytes: Int {
      authorities.reduce(2 + certificate.count) { $0 + 2 + $1.count }
    }

    /// True if the value fits into a frame and is within the protocol's limits.
    public var isWellFormed: Bool {
      !certificate.isEmpty && (1...LinkLimits.authoritiesMax).contains(authorities.count)
        && authorities.allSatisfy { !$0.isEmpty } && bodyBytes <= LinkLimits.gatewayBodyBytesMax
    }
  }

  func encodeRenewal(to output: inout [UInt8]) {
    let writer = LinkFieldWriter(type, to: &output)
    switch self {
    case .trust(let mark):
      assert(
        mark.count == LinkLimits.trustMarkBytes,
        "the trust mark has the required size, not \(mark.count) bytes")
      output.append(contentsOf: mark)
    case .renew(let publicKey):
      writer.integer(UInt16(truncatingIfNeeded: publicKey.count), to: &output)
      output.append(contentsOf: publicKey)
    case .renewed(let renewed):
      assert(!renewed.authorities.isEmpty, "a renewed certificate includes its authorities")
      for der in [renewed.certificate] + renewed.authorities {
        writer.integer(UInt16(truncatingIfNeeded: der.count), to: &output)
        output.append(contentsOf: der)
      }
    case .renewalRefused(let refusal, let seconds):
      writer.integer(refusal.rawValue, to: &output)
      writer.integer(seconds, to: &output)
    default: assertionFailure("not a renewal frame: \(type)")
    }
    writer.finish(&output)
  }

  static func decodeRenewal(
    _ type: LinkFrameType, _ reader: inout LinkFieldReader
  ) throws(LinkFault) -> LinkFrame {
    switch type {
    case .trust:
      return .trust(mark: try reader.bytes(LinkLimits.trustMarkBytes))
    case .renew:
      let count = Int(try reader.integer(UInt16.self))
      guard (1...LinkLimits.publicKeyBytesMax).contains(count) else {
        throw reader.fault(.badValue)
      }
      return .renew(publicKey: try reader.bytes(count))
    case .renewed:
      let certificate = try bytes(&reader)
      var authorities = [try bytes(&reader)]
      while reader.remaining > 0 {
        guard authorities.count < LinkLimits.authoritiesMax else { throw reader.fault(.badValue) }
        authorities.append(try bytes(&reader))
      }
      return .renewed(Renewed(certificate: certificate, authorities: authorities))
    default:
      return .renewalRefused(
        LinkEnrollmentRefusal(rawValue: try reader.integer()), afterSeconds: try reader.integer())
    }
  }

  /// Reads bytes that are preceded by a two-byte length.
  ///
  /// At least one byte is required.
  private static func bytes(_ reader: inout LinkFieldReader) throws(LinkFault) -> [UInt8] {
    let count = Int(try reader.integer(UInt16.self))
    guard count > 0 else { throw reader.fault(.badValue) }
    return try reader.bytes(count)
  }
}
