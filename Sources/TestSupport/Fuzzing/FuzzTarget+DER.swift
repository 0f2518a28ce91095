import Transport

extension FuzzTarget {
  /// Parses the bytes as each kind of DER or PEM that a peer can send, and reads the contents.
  static func runDER(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.choice(3) {
    case 0: readDER(input.remainder())
    case 1: readDER(element(&input, depth: 0))
    default: readSignature(input.remainder())
    }
  }

  /// Returns a tree that the bytes describe, with correct lengths except for those that are deliberately wrong.
  private static func element(_ input: inout FuzzInput, depth: Int) -> [UInt8] {
    let tags = [
      DERTag.sequence, DERTag.utf8String, DERTag.integer, DERTag.bitString, DERTag.octetString,
      DERTag.objectIdentifier, DERTag.null, DERTag.context(0, constructed: true), 0x31, 0x17,
    ]
    let choice = input.choice(tags.count + 2)
    if choice >= tags.count { return input.bytes(input.choice(8)) }
    let tag = tags[choice]
    var content: [UInt8] = []
    if tag & 0x20 != 0, depth < 24 {
      for _ in 0..<input.choice(5) where !input.isEmpty {
        content += element(&input, depth: depth + 1)
      }
    } else {
      content = input.bytes(input.choice(40))
    }
    var written = DER.element(tag, content)
    if input.choice(16) == 15, written.count > 1 { written[1] = input.byte() }
    return written
  }

  private static func readDER(_ bytes: [UInt8]) {
    walk(DERReader(bytes), depth: 0)
    if let topics = AppleExtension.topics(in: bytes) {
      precondition(AppleExtension.topics(in: AppleExtension.value(of: topics)) == topics)
    }
    if let raw = ECDSASignature.raw(fromDER: bytes) { precondition(raw.count == 64) }
    if let certificate = (try? Certificate(der: bytes)) ?? (try? Certificate(pem: bytes)) {
      readCertificate(certificate)
    }
    if let key = (try? ES256PublicKey(spkiDER: bytes)) ?? (try? ES256PublicKey(spkiPEM: bytes)) {
      precondition((try? ES256PublicKey(spkiDER: key.spkiDER)) == key)
      _ = key.verify(derSignature: bytes, message: [1])
    }
    _ = try? ES256PrivateKey(pkcs8PEM: bytes)
  }

  private static func walk(_ start: DERReader, depth: Int) {
    var reader = start
    while let tag = reader.nextTag, let content = reader.element(tag: tag) {
      if tag & 0x20 != 0, depth < 64 { walk(DERReader(content), depth: depth + 1) }
      var text = DERReader(content)
      _ = text.utf8()
    }
  }

  private static func readCertificate(_ certificate: Certificate) {
    guard let again = try? Certificate(der: certificate.der) else {
      preconditionFailure("an encoded certificate could not be decoded")
    }
    precondition(again == certificate)
    for oid in [AppleExtension.topics, AppleExtension.production, AppleExtension.development] {
      if let value = certificate.extensionValue(oid) { _ = AppleExtension.topics(in: value) }
    }
    _ = try? ES256PublicKey(spkiDER: certificate.publicKeySPKI)
    for purpose in [CertificateChain.Purpose.client, .server] {
      do throws(CertificateChain.Failure) {
        try CertificateChain.check(
          certificate, authorities: [certificate], purpose: purpose, now: 1_700_000_000)
      } catch {
        precondition(!"\(error)".isEmpty)
      }
    }
  }

  /// Checks that a raw signature and its DER form contain the same two numbers.
  private static func readSignature(_ bytes: [UInt8]) {
    var der = [UInt8](repeating: 0, count: ECDSASignature.derBytesMax)
    let written = bytes.withUnsafeBytes { raw in
      der.withUnsafeMutableBytes { ECDSASignature.writeDER(of: raw, into: $0) }
    }
    guard let written, let raw = ECDSASignature.raw(fromDER: Array(der.prefix(written))) else {
      return precondition(written == nil, "an encoded signature can be decoded")
    }
    let width = bytes.count / 2
    for (part, half) in [(raw[..<32], bytes[..<width]), (raw[32...], bytes[width...])] {
      precondition(part.drop { $0 == 0 } == half.drop { $0 == 0 })
    }
  }
}
