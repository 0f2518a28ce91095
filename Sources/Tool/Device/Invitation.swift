import BelfryWire
import System
import Transport

/// An invitation to a gateway as one word: `belfry://HOST:PORT/CODE/CERTIFICATE`.
///
/// The invitation contains the authority's certificate itself (DER in base64url). Anyone with the invitation can verify
/// the gateway without first contacting another party, so devices trust nothing that the network could have changed.
enum Invitation {
  static let scheme = "belfry://"

  /// The maximum size of an invitation, in bytes.
  ///
  /// A certificate has about 500 bytes, or a few thousand if it lists permitted names.
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
