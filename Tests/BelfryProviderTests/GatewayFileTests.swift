import Foundation
import System
import TestSupport
import Testing

@testable import BelfryProvider

@Suite struct GatewayFileTests {
  private static let whole = """
    {"host":"HOST","ports":{"provider":4433,"device":4434},"caFile":"/ca.pem","teamID":"TEAMTEAM01",\
    "keyID":"KEYKEYKEY1","keyFile":"/key.p8","environment":"sandbox"}
    """

  private static func read(_ text: String) throws -> GatewayFile {
    let folder = try ScratchFolder()
    let path = folder.file("gateway.json")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try GatewayFile(path)
  }

  @Test(
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("push.example.com", "push.example.com"),
      ("0.0.0.0", "127.0.0.1"), ("::", "::1"),
    ])
  func `a gateway that listens everywhere is reached on this machine`(
    host: String, reached: String
  ) throws {
    let file = try Self.read(Self.whole.replacingOccurrences(of: "HOST", with: host))
    #expect(file.endpoint == ProviderEndpoint(host: reached, port: 4_433))
    #expect(file.authorityFile == "/ca.pem")
    #expect(file.teamID == "TEAMTEAM01")
    #expect(file.keyID == "KEYKEYKEY1")
    #expect(file.keyFile == "/key.p8")
    #expect(file.environmentName == "sandbox")
  }

  @Test(
    arguments: [
      "", "{", "[]", "{}", #"{"host":"a","ports":{}}"#,
      GatewayFileTests.whole.replacingOccurrences(of: "4433", with: "70000"),
      GatewayFileTests.whole.replacingOccurrences(of: #""/key.p8""#, with: "7"),
    ])
  func `a file in another format is rejected with advice`(text: String) {
    #expect {
      _ = try Self.read(text)
    } throws: { error in
      "\(error)".hasSuffix(
        "gateway.json: it has an unknown format; use the gateway.json of a gateway that has started"
      )
    }
  }

  @Test func `a missing file is reported with its path and the reason`() {
    let failure = #expect(throws: GatewayFile.Failure.self) {
      _ = try GatewayFile("/nonexistent/gateway.json")
    }
    #expect(failure?.path == "/nonexistent/gateway.json")
    #expect(failure?.reason.contains("no such file") == true, "\(failure?.reason ?? "")")
  }
}
