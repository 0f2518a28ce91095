/// A set of authorities that are trusted together, such as the contents of a `ca.pem` file.
public struct AuthorityBundle: Sendable, Hashable {
  /// The authorities, in order.
  public let certificates: [Certificate]

  /// Creates a bundle of authorities, and preserves their order.
  public init(_ certificates: [Certificate]) { self.certificates = certificates }

  /// Reads every certificate in `pem`, ignoring any text between the certificates.
  ///
  /// Throws if `pem` contains no certificates.
  public init(pem: [UInt8]) throws(CryptoFailure) {
    let blocks = PEMText.blocks(of: pem, label: "CERTIFICATE")
    guard !blocks.isEmpty else { throw .malformed(expected: "a certificate in PEM") }
    var certificates: [Certificate] = []
    for block in blocks { certificates.append(try Certificate(pem: block)) }
    self.certificates = certificates
  }

  /// A hash that identifies the authorities by their public keys.
  ///
  /// The mark is the SHA-256 hash of the keys' own SHA-256 hashes, in order. It doesn't depend on the names that the
  /// certificates permit (`docs/device-link.md` 4.7).
  public var mark: [UInt8] {
    SHA256.hash(certificates.flatMap { SHA256.hash($0.publicKeySPKI).bytes }).bytes
  }

  /// Returns true if the bundles have at least one authority's key in common, even in different certificates.
  public func sharesKey(with other: AuthorityBundle) -> Bool {
    let keys = Set(other.certificates.map(\.publicKeySPKI))
    return certificates.contains { keys.contains($0.publicKeySPKI) }
  }

  /// Returns all certificates in PEM.
  public func pem() throws(CryptoFailure) -> [UInt8] {
    var text: [UInt8] = []
    for certificate in certificates { text += try certificate.pem() }
    return text
  }
}

extension Certificate {
  /// A short name for the certificate's key: 16 hexadecimal digits.
  ///
  /// All certificates for the same key have the same name.
  public var keyName: String {
    let digits = Array("0123456789abcdef")
    return String(
      SHA256.hash(publicKeySPKI).bytes.prefix(8).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      })
  }
}

/// A parser for text in PEM.
public enum PEMText {
  /// Returns the blocks whose label ends with `label`, including their BEGIN and END lines.
  public static func blocks(of text: [UInt8], label: String) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var block: [UInt8]?
    let end = "\(label)-----"
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: true) {
      let trimmed = line.last == 0x0D ? line.dropLast() : line
      let isBoundary = trimmed.suffix(end.utf8.count).elementsEqual(end.utf8)
      if isBoundary, trimmed.starts(with: "-----BEGIN ".utf8) { block = [] }
      guard block != nil else { continue }
      block?.append(contentsOf: trimmed)
      block?.append(0x0A)
      if isBoundary, trimmed.starts(with: "-----END ".utf8), let whole = block {
        blocks.append(whole)
        block = nil
      }
    }
    return blocks
  }
}
