/// Authorities that are trusted together: those of a `ca.pem`, or of a device's identity.
public struct AuthorityBundle: Sendable, Hashable {
  /// The authorities, in their order.
  public let certificates: [Certificate]

  /// These authorities.
  public init(_ certificates: [Certificate]) { self.certificates = certificates }

  /// Every certificate in `pem`, text between them passed over; fails where there is none.
  public init(pem: [UInt8]) throws(CryptoFailure) {
    let blocks = PEMText.blocks(of: pem, label: "CERTIFICATE")
    guard !blocks.isEmpty else { throw .malformed(expected: "a certificate in PEM") }
    var certificates: [Certificate] = []
    for block in blocks { certificates.append(try Certificate(pem: block)) }
    self.certificates = certificates
  }

  /// SHA-256 over the SHA-256 of each public key, in order: which authorities they are, whatever names their
  /// certificates permit (`docs/device-link.md` 4.7).
  public var mark: [UInt8] {
    SHA256.hash(certificates.flatMap { SHA256.hash($0.publicKeySPKI).bytes }).bytes
  }

  /// Whether some authority is in both, in whichever certificate.
  public func sharesKey(with other: AuthorityBundle) -> Bool {
    let keys = Set(other.certificates.map(\.publicKeySPKI))
    return certificates.contains { keys.contains($0.publicKeySPKI) }
  }

  /// All of them in PEM.
  public func pem() throws(CryptoFailure) -> [UInt8] {
    var text: [UInt8] = []
    for certificate in certificates { text += try certificate.pem() }
    return text
  }
}

extension Certificate {
  /// A short name of its key, which every certificate for the key has: 16 hexadecimal digits.
  public var keyName: String {
    let digits = Array("0123456789abcdef")
    return String(
      SHA256.hash(publicKeySPKI).bytes.prefix(8).flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      })
  }
}

/// Text in PEM, taken apart.
public enum PEMText {
  /// The blocks whose label ends with `label`, each with its own first and last line.
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
