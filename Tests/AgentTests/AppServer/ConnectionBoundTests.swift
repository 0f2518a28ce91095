import BelfryWire
import AppWire
import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Agent

/// Tests of the limits on the number of app connections and on the memory that they use in the agent.
@Suite struct ConnectionBoundTests {
  // MARK: Number

  @Test func `One process and one user leave connections to others`() {
    var census = AppConnectionCensus(.init())
    let bounds = census.bounds
    #expect(bounds.perProcess < bounds.perUser && bounds.perUser < bounds.total)
    for _ in 0..<bounds.perProcess { census.add(process: 7, user: 1_000) }
    #expect(census.refusal(process: 7, user: 1_000) == .process)
    #expect(census.refusal(process: 8, user: 1_000) == nil)
    var process: Int32 = 100
    while census.refusal(process: process, user: 1_000) == nil {
      census.add(process: process, user: 1_000)
      process += 1
    }
    #expect(census.refusal(process: process, user: 1_000) == .user)
    #expect(census.count == bounds.perUser)
    while census.refusal(process: process, user: 0) == nil {
      census.add(process: process, user: 0)
      process += 1
    }
    #expect(census.refusal(process: process, user: 0) == .total && census.count == bounds.total)
    census.remove(process: 7, user: 1_000)
    #expect(census.refusal(process: 7, user: 1_000) == nil)
  }

  @Test(arguments: [0, 256, 1_024, 4_096, 1 << 20, Int.max])
  func `However few files may be open, there are connections, and one process takes half at most`(
    descriptors: Int
  ) {
    let bounds = AppConnectionCensus.Bounds(descriptors: descriptors)
    #expect((Limits.connectionsMin...Limits.connections).contains(bounds.total))
    #expect(bounds.total <= max(descriptors / 2, Limits.connectionsMin))
    #expect(bounds.perProcess <= bounds.total / 2)
  }

  // MARK: Memory

  @Test func `The connection that holds the most of its app's bytes is named`() throws {
    let (burger, fries) = (try #require(AppID("a.burger")), try #require(AppID("a.fries")))
    var held = HeldBytes(.init(perOwner: 100, total: 150))
    func id(_ number: UInt64) -> ConnectionID { ConnectionID(number: number) }
    for number in 1...4 as ClosedRange<UInt64> { held.add(id(number), of: .process(7)) }
    held.set(id(1), 60)
    held.set(id(2), 50)
    #expect(held.excess(for: id(1)) == .owner(.process(7)))
    // Several apps in one process are counted separately once they have sent their greetings.
    held.move(id(1), to: .app(burger))
    held.move(id(2), to: .app(burger))
    held.move(id(3), to: .app(fries))
    #expect(held.excess(for: id(4)) == nil)
    #expect(held.excess(for: id(1)) == .owner(.app(burger)))
    #expect(held.worst(of: .owner(.app(burger)))?.connection == id(1))
    held.set(id(1), 10)
    held.set(id(3), 95)
    held.checkInvariants()
    #expect(held.excess(for: id(1)) == .total && held.excess(for: id(4)) == .total)
    #expect(try #require(held.worst(of: .total)) == (id(3), 95))
    held.remove(id(3))
    #expect(held.total == 60 && held.excess(for: id(1)) == nil)
    held.checkInvariants()
  }

  private static let hello = AppHello(
    appID: "org.example.burger", isDevelopment: true, state: .background)

  /// Connects an app that has a scheduled notification of 300 KB, which is part of every list of pending requests.
  private static func appWithLongRequest(_ scenario: AgentScenario) throws -> TestApp {
    let app = TestApp(scenario, state: .background)
    _ = try app.connection.call(.requestAuthorization([.alert]))
    var request = ModelBench.request("p", trigger: .interval(seconds: 100_000, repeats: false))
    request.content.body = NotificationText(String(repeating: "x", count: 300_000))
    _ = try app.connection.call(.add(request))
    return app
  }

  @Test
  func
    `Connections of an app that read nothing take no more than its share, and others are served`()
    throws
  {
    let lines = Arrivals<String>()
    let bounds = HeldBytes.Bounds(perOwner: 1 << 20, total: 4 << 20)
    let scenario = try AgentScenario(
      log: Log(subsystem: "agent", sink: LogSink { lines.put($0) }), heldBytes: bounds)
    defer { scenario.stop() }
    let app = try Self.appWithLongRequest(scenario)
    defer { app.close() }
    let silent = try (0..<12).map { _ in
      let raw = try RawApp(scenario.socketPath)
      raw.send(AppRequest.hello(Self.hello).frame.numbered(1).encoded)
      for number in 2...4 as ClosedRange<Int64> {
        raw.send(AppRequest.pending.frame.numbered(number).encoded)
      }
      return raw
    }
    let line = try #require(
      lines.next { $0.contains("use too much memory") ? $0 : nil }, "no connection was closed")
    #expect(line.contains("app=org.example.burger"))
    #expect(line.contains("pid=\(getpid())"))
    // The agent still serves another app, and a connection on which this app reads its answers.
    #expect(try app.connection.call(.pending).pending().count == 1)
    let other = TestApp(scenario, "org.example.fries")
    defer { other.close() }
    #expect(other.welcome?.appID == "org.example.fries")
    let held = try #require(scenario.with { $0.server?.heldBytes ?? 0 })
    #expect(held <= bounds.perOwner)
    // A connection that starts reading later receives everything, unless the agent closed the connection to free
    // memory.
    let answers = silent.map { $0.readToEnd(limit: 4) }
    #expect(answers.contains { $0 == 4 } && answers.contains { $0 < 4 })
  }

  @Test func `Requests of an app that does not read wait until it does`() throws {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = try Self.appWithLongRequest(scenario)
    defer { app.close() }
    let silent = try RawApp(scenario.socketPath)
    silent.send(AppRequest.hello(Self.hello).frame.numbered(1).encoded)
    let count: Int64 = 60
    for number in 2...count { silent.send(AppRequest.pending.frame.numbered(number).encoded) }
    // The agent alternates between the requests on the two connections.
    var held = 0
    for _ in 0..<count where held <= Limits.unreadOutputBytes {
      #expect(try app.connection.call(.pending).pending().count == 1)
      held = try #require(scenario.with { $0.server?.heldBytes ?? 0 })
    }
    #expect(held > Limits.unreadOutputBytes && held < 4 << 20)
    #expect(silent.readToEnd(limit: Int(count)) == Int(count))
    let rest = try #require(scenario.with { $0.server?.heldBytes ?? 0 })
    #expect(rest < 1 << 16)
  }

  @Test func `An app that requests long lists on many connections gets one of them per turn`()
    throws
  {
    let scenario = try AgentScenario()
    defer { scenario.stop() }
    let app = try Self.appWithLongRequest(scenario)
    defer { app.close() }
    let raw = try (0..<20).map { _ in
      let raw = try RawApp(scenario.socketPath)
      raw.send(AppRequest.hello(Self.hello).frame.numbered(1).encoded)
      _ = raw.frame()
      return raw
    }
    let descriptors = raw.map(\.descriptor)
    // All requests arrive while the agent's thread waits, so it reads them in one turn of its loop.
    let (isBlocked, isAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue.global().async {
      isBlocked.wait()
      for descriptor in descriptors {
        let bytes = AppRequest.pending.frame.numbered(2).encoded
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
      }
      isAsked.signal()
    }
    _ = scenario.with { _ in
      isBlocked.signal()
      isAsked.wait()
    }
    // By the second of these calls, the agent has finished the turn in which it read the requests.
    _ = scenario.with { _ in true }
    let answered = scenario.with { _ in
      descriptors.count { descriptor in
        var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) > 0
      }
    }
    #expect(try #require(answered) <= 5)
    for raw in raw { #expect(raw.frame() != nil) }
  }

  @Test func `Frames that are never completed count as well`() throws {
    let lines = Arrivals<String>()
    let scenario = try AgentScenario(
      log: Log(subsystem: "agent", sink: LogSink { lines.put($0) }),
      heldBytes: .init(perOwner: 1 << 20, total: 4 << 20))
    defer { scenario.stop() }
    let length = UInt32(WireLimits.appFrameBytesMaxFromApp)
    let head = [length, length - 4].flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
    let started = try (0..<8).map { _ in
      let raw = try RawApp(scenario.socketPath)
      raw.send(AppRequest.hello(Self.hello).frame.numbered(1).encoded)
      #expect(raw.frame() != nil)
      raw.send(head + [UInt8](repeating: 0x20, count: 200_000))
      return raw
    }
    #expect(lines.next { $0.contains("use too much memory") ? true : nil } == true)
    #expect(try #require(scenario.with { $0.server?.heldBytes ?? 0 }) <= 1 << 20)
    withExtendedLifetime(started) {}
  }
}
