import Testing
import WebPush

@testable import BelfryProvider

/// A table of numbered connections, for at most two services.
private final class Table {
  var services = WebPushServices<Int>(countMax: 2)
  private var next = 1

  /// Begins a message; returns the connections to send it over and to close, or nil if the message is refused.
  func begin(_ name: String) throws -> (send: Int, closing: Int?)? {
    let number = next
    switch services.begin(try origin(name), connect: { number }) {
    case .send(let connections, let dropped):
      if connections == number { next += 1 }
      return (connections, dropped)
    case .tooMany, .closed: return nil
    }
  }

  func end(_ name: String) throws { services.end(try origin(name)) }

  func origin(_ name: String) throws -> WebPushOrigin {
    let text = Array("https://\(name).example.net".utf8)
    let origin = WebPushOrigin(text.span)
    return try #require(origin)
  }
}

@Suite struct WebPushServicesTests {
  @Test func `messages for a service share its connections`() throws {
    let table = Table()
    #expect(try table.begin("a")?.send == 1)
    #expect(try table.begin("a")?.send == 1)
    #expect(try table.begin("b")?.send == 2)
    #expect(table.services.count == 2)
  }

  @Test func `a new service replaces the idle service that was not used for the longest time`()
    throws
  {
    let table = Table()
    for name in ["a", "b", "a"] {
      _ = try table.begin(name)
      try table.end(name)
    }
    let third = try #require(try table.begin("c"))
    #expect(third.send == 3)
    #expect(third.closing == 2)
    #expect(table.services.count == 2)
    #expect(try table.begin("a")?.send == 1)
  }

  @Test func `a service with pending messages is never replaced`() throws {
    let table = Table()
    _ = try table.begin("a")
    _ = try table.begin("b")
    #expect(try table.begin("c") == nil)
    try table.end("a")
    let third = try #require(try table.begin("c"))
    #expect(third.closing == 1)
    #expect(try table.begin("b")?.send == 2)
  }

  @Test func `a closed table returns its connections and accepts nothing`() throws {
    let table = Table()
    _ = try table.begin("a")
    _ = try table.begin("b")
    let closed = table.services.close()
    #expect(closed.sorted() == [1, 2])
    #expect(try table.begin("a") == nil)
    // The outcome of a message that was pending arrives afterward.
    try table.end("a")
    #expect(table.services.count == 0)
  }

  @Test func `a token is used for six hours, and not after the clock was set back`() throws {
    let table = Table()
    let origin = try table.origin("a")
    table.services.setAuthorization(
      VAPIDAuthorization(text: "lost", issuedAtSeconds: 0), for: origin)
    _ = try table.begin("a")
    #expect(table.services.authorization(for: origin, atSeconds: 1) == nil)
    let now: Int64 = 1_700_000_000
    table.services.setAuthorization(
      VAPIDAuthorization(text: "t", issuedAtSeconds: now), for: origin)
    for (seconds, isUsable) in [
      (now, true), (now + 21_599, true), (now + 21_600, false), (now - 60, true),
      (now - 61, false), (Int64.max, false), (Int64.min, false),
    ] {
      let found = table.services.authorization(for: origin, atSeconds: seconds)
      #expect((found == "t") == isUsable, "\(seconds)")
    }
    let expiration = VAPIDAuthorization.expiration(issuedAtSeconds: now)
    #expect(expiration - now <= WebPushLimits.tokenSecondsMax)
    #expect(expiration - now > 21_600)
  }
}
