import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite(.requires(.openssl)) struct PKCS12Tests {
  private let folder: ScratchFolder
  private let authority: CertificateAuthority
  private let identity: CertificateAuthority.Identity

  init() throws {
    folder = try ScratchFolder()
    authority = try .forTests()
    identity = try authority.issueProvider(
      bundleID: "com.example.app", environment: .both, form: .universal,
      now: Int64(Date().timeIntervalSince1970))
  }

  @Test
  func `openssl opens both forms with the password, and finds certificate, key and authority`()
    throws
  {
    for legacy in [false, true] {
      let file = try write(legacy: legacy)
      let text = try openssl(
        ["pkcs12", "-in", file, "-passin", "pass:secret", "-nodes"] + (legacy ? ["-legacy"] : []))
      #expect(text.contains("Apple Push Services: com.example.app"))
      let certificates = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").count - 1
      #expect(certificates == 2)
      let start = try #require(text.range(of: "-----BEGIN PRIVATE KEY-----"))
      let key = try ES256PrivateKey(pkcs8PEM: Array(text[start.lowerBound...].utf8))
      #expect(key.publicKey.spkiDER == identity.certificate.publicKeySPKI)
    }
  }

  @Test
  func `the two forms use the algorithms that their readers expect`() throws {
    let modern = try openssl([
      "pkcs12", "-in", try write(legacy: false), "-passin", "pass:secret", "-info", "-noout",
    ])
    #expect(modern.contains("AES-256-CBC") && modern.contains("MAC: sha256"), "\(modern)")
    let legacy = try openssl([
      "pkcs12", "-in", try write(legacy: true), "-passin", "pass:secret", "-info", "-noout",
      "-legacy",
    ])
    #expect(legacy.contains("pbeWithSHA1And40BitRC2-CBC"), "\(legacy)")
    #expect(legacy.contains("pbeWithSHA1And3-KeyTripleDES-CBC"), "\(legacy)")
    #expect(legacy.contains("MAC: sha1"), "\(legacy)")
  }

  @Test
  func `a key for RSA is in both forms too`() throws {
    let identity = try authority.issueProvider(
      bundleID: "com.example.app", environment: .both, form: .uid, key: .rsa,
      now: Int64(Date().timeIntervalSince1970))
    for legacy in [false, true] {
      let text = try openssl(
        [
          "pkcs12", "-in", try write(legacy: legacy, identity), "-passin", "pass:secret", "-nodes",
        ] + (legacy ? ["-legacy"] : []))
      let start = try #require(text.range(of: "-----BEGIN PRIVATE KEY-----"))
      let key = try EVPKey.reading(pem: Array(text[start.lowerBound...].utf8), kind: .any)
      #expect(try key.publicDER() == identity.certificate.publicKeySPKI)
    }
  }

  @Test
  func `a wrong password opens nothing`() throws {
    let file = try write(legacy: false)
    #expect(throws: (any Error).self) {
      try openssl(["pkcs12", "-in", file, "-passin", "pass:other", "-nodes"])
    }
  }

  @Test
  func `openssl verifies a server certificate only for its own names`() throws {
    let server = try authority.issueServer(
      names: ["localhost", "api.push.apple.com"], addresses: ["127.0.0.1", "::1"],
      now: Int64(Date().timeIntervalSince1970))
    let authorityFile = folder.file("ca.pem")
    let serverFile = folder.file("server.pem")
    try Data(authority.certificatePEM).write(to: URL(fileURLWithPath: authorityFile))
    try Data(server.certificateChainPEM).write(to: URL(fileURLWithPath: serverFile))
    let verify = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", authorityFile]
    for name in ["localhost", "api.push.apple.com"] {
      #expect(try openssl(verify + ["-verify_hostname", name, serverFile]).contains(": OK"))
    }
    #expect(try openssl(verify + ["-verify_ip", "::1", serverFile]).contains(": OK"))
    #expect(throws: (any Error).self) {
      try openssl(verify + ["-verify_hostname", "example.com", serverFile])
    }
  }

  private func write(
    legacy: Bool, _ other: CertificateAuthority.Identity? = nil
  ) throws -> String {
    let identity = other ?? identity
    let bytes = try PKCS12.encode(
      certificatePEM: identity.certificateChainPEM, privateKeyPEM: identity.privateKeyPEM,
      authorityPEM: authority.certificatePEM, name: "com.example.app", password: "secret",
      legacy: legacy)
    let file = folder.file(legacy ? "legacy.p12" : "modern.p12")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Returns the text that openssl prints to standard output and standard error; throws if openssl fails.
  private func openssl(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try TestTool.openssl.required())
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CryptoFailure.malformed(expected: text) }
    return text
  }
}
