import BelfryWire
import System
import Transport

/// An invitation to a gateway as one word: `belfry://HOST:PORT/CODE/CERTIFICATE`.
///
/// The invitation contains the authority's certificate itself (DER in base64url), so that devices trust nothing that a
/// network could change: anyone with the invitation can verify the gateway without first contacting another party.
enum Invitation {
  static let scheme = "belfry://"

  /// Bytes of an invitation: a certificate has about 500, or a few thousand with permitted names.
  private static let bytesMax = 65_536

  /// Returns the invitation for a gateway.
  static func text(of gateway: DeviceGateway) throws -> String {
    let host = gateway.host.contains(":") ? "[\(gateway.host)]" : gateway.host
    let certificate = Base64.encode(try Certificate(pem: gateway.authorityPEM).der, url: true)
    return "\(scheme)\(host):\(gateway.port)/\(gateway.enrollmentCode)/\(certificate)"
  }

  /// Parses a string that begins with the scheme.
  static func parse(_ text: String) throws(DeviceGateway.Problem) -> DeviceGateway {
    guard text.utf8.count <= bytesMax else { throw .badInvitation(reason: "too long") }
    let parts = text.dropFirst(scheme.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let (host, port) = DeviceGateway.address(String(parts[0])) else {
      throw .badInvitation(reason: "not in the form \(scheme)HOST:PORT/CODE/CERTIFICATE")
    }
    guard let der = Base64.decode(Array(parts[2].utf8).span),
      let pem = try? Certificate(der: der).pem()
    else { throw .badInvitation(reason: "the certificate is truncated or altered") }
    return DeviceGateway(
      host: host, port: port, authorityPEM: pem, enrollmentCode: String(parts[1]))
  }
}
