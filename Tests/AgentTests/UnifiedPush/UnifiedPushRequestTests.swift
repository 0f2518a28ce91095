import BelfryWire
import Testing

@testable import Agent

@Suite struct UnifiedPushRequestTests {
  private static let sender = ":1.7"
  private static let vapid = UnifiedPushBench.keys[0].string

  private func read(
    _ version: Int, _ member: String = "Register", _ values: [BusValue]
  ) throws(BusFailure) -> UnifiedPushRequest? {
    try UnifiedPushRequest.read(
      interface: "org.unifiedpush.Distributor\(version)", member: member, values,
      sender: Self.sender)
  }

  private func second(_ pairs: [(String, BusValue)]) throws(BusFailure) -> UnifiedPushRequest? {
    try read(2, "Register", [.vardict(pairs)])
  }

  @Test func `Both versions carry the same registration`() throws {
    let registration = UnifiedPushRequest.Registration(
      service: "org.example.App", token: "t", description: "d")
    let first = try read(1, "Register", ["org.example.App", "t", "d"].map { .string($0) })
    #expect(first == UnifiedPushRequest(version: .one, action: .register(registration)))
    let other = try second([
      ("token", .string("t")), ("service", .string("org.example.App")),
      ("description", .string("d")), ("unknown", .uint32(7)),
    ])
    #expect(other == UnifiedPushRequest(version: .two, action: .register(registration)))
    #expect(
      try read(2, "Unregister", [.vardict([("token", .string("t"))])])
        == UnifiedPushRequest(version: .two, action: .unregister(token: "t")))
    #expect(
      try read(1, "Unregister", [.string("t")])
        == UnifiedPushRequest(version: .one, action: .unregister(token: "t")))
  }

  @Test func `A call of version 1 without a description is accepted`() throws {
    let request = try read(1, "Register", [.string("org.example.App"), .string("t")])
    #expect(
      request?.action == .register(.init(service: "org.example.App", token: "t")))
  }

  @Test func `Other methods and interfaces are unknown`() throws {
    #expect(try read(3, "Register", []) == nil)
    #expect(try read(1, "Message", [.string("a"), .string("b")]) == nil)
  }

  @Test(arguments: [0, 101])
  func `A token outside 1 to 100 bytes is ignored`(count: Int) {
    let token = String(repeating: "x", count: count)
    #expect(throws: BusFailure.self) {
      try second([("service", .string("a.b")), ("token", .string(token))])
    }
    #expect(throws: BusFailure.self) { try read(1, "Unregister", [.string(token)]) }
  }

  @Test func `The limits are counted in bytes`() throws {
    let accents = String(repeating: "é", count: 50)
    let request = try second([
      ("service", .string("a.b")), ("token", .string(accents)), ("description", .string(accents)),
    ])
    #expect(request != nil)
    #expect(throws: BusFailure.self) {
      try second([("service", .string("a.b")), ("token", .string(accents + "x"))])
    }
    #expect(throws: BusFailure.self) {
      try second([
        ("service", .string("a.b")), ("token", .string("t")),
        ("description", .string(accents + "x")),
      ])
    }
  }

  @Test func `A missing parameter and one of another type are ignored`() {
    #expect(throws: BusFailure.self) { try second([("token", .string("t"))]) }
    #expect(throws: BusFailure.self) { try second([("service", .string("a.b"))]) }
    #expect(throws: BusFailure.self) {
      try second([("service", .string("a.b")), ("token", .bytes([1]))])
    }
    #expect(throws: BusFailure.self) {
      try second([("service", .string("a.b")), ("token", .path("/t"))])
    }
    #expect(throws: BusFailure.self) { try read(2, "Register", [.string("a.b"), .string("t")]) }
    #expect(throws: BusFailure.self) { try read(1, "Register", [.vardict([])]) }
    #expect(throws: BusFailure.self) { try read(1, "Register", [.string("a.b")]) }
  }

  @Test func `A VAPID key is an uncompressed point in 87 characters`() throws {
    func register(_ vapid: String) throws(BusFailure) -> UnifiedPushRequest? {
      try second([
        ("service", .string("a.b")), ("token", .string("t")), ("vapid", .string(vapid)),
      ])
    }
    #expect(Self.vapid.utf8.count == 87)
    #expect(try register(Self.vapid) != nil)
    let compressed = Base64.encode([3] + [UInt8](repeating: 1, count: 64), url: true)
    let plus = Base64.encode([4] + [UInt8](repeating: 0xFB, count: 64), url: true)
      .replacing("-", with: "+")
    for wrong in ["", "x", Self.vapid + "=", String(Self.vapid.dropLast()), compressed, plus] {
      #expect(throws: BusFailure.self) { try register(wrong) }
    }
  }

  @Test(arguments: ["", "an account", "default", "org..x", "org.1x", "org.ex/x", "\u{301}.x"])
  func `A service that is not the name of a program becomes the caller's own name`(
    service: String
  ) throws {
    let request = try second([("service", .string(service)), ("token", .string("t"))])
    #expect(request?.action == .register(.init(service: UTF8Text(Self.sender), token: "t")))
  }

  @Test func `Names on a bus have the syntax of the D-Bus specification`() {
    for name: UTF8Text in ["a.b", "org.example.App-1", "_x.y9"] {
      #expect(BusName.isWellKnown(name))
      #expect(!BusName.isUnique(name))
    }
    for name: UTF8Text in [":1.42", ":1.0a"] {
      #expect(!BusName.isWellKnown(name))
      #expect(BusName.isUnique(name))
    }
    for name: UTF8Text in ["", ":", ":1", "a", "a.", ".a", "a.ü", "a b.c"] {
      #expect(!BusName.isWellKnown(name) && !BusName.isUnique(name))
    }
    #expect(BusName.isWellKnown(UTF8Text("a." + String(repeating: "b", count: 253))))
    #expect(!BusName.isWellKnown(UTF8Text("a." + String(repeating: "b", count: 254))))
  }
}
