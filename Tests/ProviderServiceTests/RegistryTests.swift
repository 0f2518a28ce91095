import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import ProviderService

/// A registry in memory whose clock a test controls.
struct TestRegistry {
  let store: SQLiteRegistryStore
  let registry: Registry
  let clock = TestClock()

  init(path: String = "") throws {
    store = try SQLiteRegistryStore(path: path)
    let clock = clock
    registry = Registry(
      store: store, sealer: try TokenSealer(key: Array(0..<64)), now: { clock.milliseconds })
  }

  @discardableResult
  func register(_ fields: JSONObject, topic: String = "com.example.app") throws
    -> RegistrationChange
  {
    try registry.register(RegistrationRequest(fields, zones: registry.zones), topic: topic)
  }

  func lines() throws -> [JSONObject] { try registry.page(after: 0, limit: 1_000).lines }

  func tokens() throws -> [String?] { try lines().map { $0["deviceToken"]?.stringValue } }
}

@Suite struct RegistryTests {
  @Test func `the SQLite registry does what every registry must`() throws {
    try RegistryStoreConformance { try SQLiteRegistryStore(path: "") }.check()
  }

  @Test func `a token is registered with the app's data, and renewed with the app's current data`()
    throws
  {
    let test = try TestRegistry()
    #expect(
      try test.register([
        "deviceToken": "00FF", "language": "fr_CA", "timeZone": "Europe/Paris", "user": "ann",
        "tags": ["news", "sport", "news"],
      ]) == .added)
    let first = try #require(try test.lines().first)
    #expect(first["deviceToken"] == "00ff")
    #expect(first["language"] == "fr-CA")
    #expect(first["tags"] == ["news", "sport"])
    test.clock.milliseconds = 5_000
    #expect(try test.register(["deviceToken": "00ff", "language": "de", "tags": []]) == .renewed)
    let second = try #require(try test.lines().first)
    #expect(second["language"] == "de" && second["user"] == .null && second["tags"] == [])
    #expect(second["registered"] == "1970-01-01T00:00:00.000Z")
    #expect(second["renewed"] == "1970-01-01T00:00:05.000Z")
    // The same token for another app is a separate registration.
    #expect(try test.register(["deviceToken": "00ff"], topic: "com.example.other") == .added)
  }

  @Test func `tags are counted as bytes, and no more are compared than a device may have`() throws {
    let test = try TestRegistry()
    // A letter in two Unicode forms yields two tags; a repeated tag counts only once.
    let repeated = Array(repeating: JSONValue.string("news"), count: 5_000)
    let two: [JSONValue] = ["caf\u{E9}", "cafe\u{301}"]
    #expect(try test.register(["deviceToken": "00ff", "tags": .array(repeated + two)]) == .added)
    #expect(
      try test.lines().first?["tags"]?.arrayValue?.compactMap { $0.stringValue?.utf8.count }
        .sorted() == [4, 5, 6])
    // A body of 1 MB has room for ten times as many different tags.
    let many = (0..<20_000).map { JSONValue.string(String($0, radix: 36)) }
    let clock = ContinuousClock()
    let time = clock.measure {
      #expect(throws: RequestProblems.self) {
        try test.register(["deviceToken": "00ff", "tags": .array(many)])
      }
    }
    #expect(time < .seconds(5), "the tags were compared in pairs, which took \(time)")
    do {
      _ = try test.register(["deviceToken": "00ff", "tags": .array(many)])
    } catch let problems as RequestProblems {
      #expect(
        problems.all.map(\.description) == [
          "tag: more than 32 tags: expected up to 32 for a device"
        ])
    }
  }

  @Test func `an installation's new token takes the place of its former one`() throws {
    let test = try TestRegistry()
    #expect(try test.register(["deviceToken": "aa", "installation": "phone"]) == .added)
    #expect(try test.register(["deviceToken": "bb", "installation": "tablet"]) == .added)
    #expect(try test.register(["deviceToken": "cc", "installation": "phone"]) == .replaced)
    #expect(try test.tokens() == ["cc", "bb"])
    // The same name for another app is a separate installation.
    try test.register(["deviceToken": "dd", "installation": "phone"], topic: "com.example.other")
    #expect(try test.tokens() == ["cc", "bb", "dd"])
  }

  @Test func `a dead token leaves unless it registered since`() throws {
    let test = try TestRegistry()
    for (at, token) in [(1_000, "aa"), (3_000, "bb")] as [(Int64, String)] {
      test.clock.milliseconds = at
      try test.register(["deviceToken": .string(token)])
    }
    #expect(
      try test.registry.removeDead([([0xAA], unixSeconds: 2), ([0xBB], unixSeconds: 2)]) == 1)
    #expect(try test.tokens() == ["bb"])
    #expect(try test.registry.remove([0xBB], topic: "com.example.app"))
    #expect(try !test.registry.remove([0xBB], topic: nil))
  }

  @Test func `neither the store's file nor its log has a token in the clear`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("registry.sqlite")
    let test = try TestRegistry(path: path)
    let token = Array("a token that can be found".utf8)
    try test.register(["deviceToken": .string(Hexadecimal.encode(token))])
    // S4-15 part 1 of 2: the tokens that a server keeps
    #expect(try FileSystem.mode(of: path) == 0o600)
    for file in [path, path + "-wal"] {
      let bytes = try FileSystem.read(file, limit: 1 << 24)
      #expect(bytes.firstRange(of: token) == nil)
      #expect(bytes.firstRange(of: Array(Hexadecimal.encode(token).utf8)) == nil)
    }
    #expect(try test.tokens() == [Hexadecimal.encode(token)])
  }

  @Test func `a folder whose key is another one's is refused`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("provider")
    do {
      let provider = try ProviderFolder(path, apps: ["com.example.app"])
      _ = try provider.registry.register(
        RegistrationRequest(["deviceToken": "00ff"], zones: DeviceZones()),
        topic: "com.example.app")
      provider.store.close()
      #expect(try FileSystem.mode(of: path + "/token-key") == 0o600)
      // S4-15 part 2 of 2: the server's credential
      #expect(try FileSystem.mode(of: provider.apps.apps[0].keyFile) == 0o600)
    }
    try FileSystem.remove(path + "/token-key")
    let error = #expect(throws: TokenSealer.Failure.self) { try ProviderFolder(path) }
    #expect(error.map { "\($0)".contains("restore the key") } == true)
  }
}
