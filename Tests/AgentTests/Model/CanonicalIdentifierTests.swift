import BelfryWire
import AppWire
import Scheduling
import TestSupport
import Testing

@testable import Agent

/// Tests that identifiers with different bytes are distinct, even if Unicode treats them as canonically equivalent.
@Suite("Identifiers that differ in bytes")
struct CanonicalIdentifierTests {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  /// Returns the bytes of each identifier, because an app's `NSString` also compares identifiers literally.
  private func bytes(_ ids: [String]) -> [[UInt8]] { ids.map { Array($0.utf8) } }

  private func delivered(_ bench: ModelBench, _ connection: ConnectionID) throws -> [String] {
    try #require(bench.ask(connection, .delivered).answers.first).delivered().map(\.request.id)
  }

  private func pending(_ bench: ModelBench, _ connection: ConnectionID) throws -> [String] {
    try #require(bench.ask(connection, .pending).answers.first).pending().map(\.request.id)
  }

  @Test
  func `are two notifications in memory and on disk, and a removed one stays removed`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    for id in [Self.composed, Self.decomposed] {
      bench.ask(connection, .add(ModelBench.request(id)))
    }
    let both = bytes([Self.composed, Self.decomposed])
    #expect(bytes(try delivered(bench, connection)) == both)
    #expect(bench.disk.keys(.delivered).count == 2)
    let effects = bench.ask(connection, .removeDelivered([Self.decomposed]))
    #expect(bytes(effects.withdrawn.map(\.id)) == [both[1]])
    #expect(bytes(try delivered(bench, connection)) == [both[0]])
    #expect(bench.disk.keys(.delivered).count == 1)

    let next = bench.restarted()
    _ = next.start()
    let (again, _) = next.connect()
    #expect(bytes(try delivered(next, again)) == [both[0]])
  }

  @Test
  func `a command finds a UUID in either case, but other identifiers only as written`() {
    let uuid = "DA601633-6C47-4B7F-9F0C-0A1B2C3D4E5F"
    for (stored, typed, isFound) in [
      (uuid.lowercased(), uuid, true), (uuid, uuid.lowercased(), true), ("tea", "TEA", false),
    ] {
      let bench = ModelBench()
      bench.ask(bench.authorized(), .add(ModelBench.request(stored)))
      let effects = bench.command(.dismiss(app: nil, id: typed))
      #expect(effects.withdrawn.map(\.id) == (isFound ? [stored] : []))
    }
  }

  @Test
  func `are two scheduled notifications, before and after a restart`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    for id in [Self.composed, Self.decomposed] {
      let request = ModelBench.request(id, trigger: .interval(seconds: 60, repeats: false))
      bench.ask(connection, .add(request))
    }
    let both = bytes([Self.composed, Self.decomposed])
    #expect(Set(bytes(try pending(bench, connection))) == Set(both))
    bench.ask(connection, .removePending([Self.composed]))
    #expect(bytes(try pending(bench, connection)) == [both[1]])

    let next = bench.restarted()
    _ = next.start()
    let (again, _) = next.connect()
    #expect(bytes(try pending(next, again)) == [both[1]])
  }

  @Test
  func `are two background tasks, and two categories`() throws {
    let bench = ModelBench()
    bench.install()
    let connection = bench.authorized()
    for id in [Self.composed, Self.decomposed] {
      bench.ask(
        connection,
        .submitTask(
          BackgroundTaskRequest(
            id: id, kind: .refresh, earliestUnixMilliseconds: bench.now + 60_000)))
    }
    let tasks = try #require(bench.ask(connection, .pendingTasks).answers.first).tasks()
    #expect(Set(bytes(tasks.map(\.id))) == Set(bytes([Self.composed, Self.decomposed])))
    let categories = [Self.composed, Self.decomposed].map { NotificationCategory(id: $0) }
    #expect(bench.ask(connection, .setCategories(categories)).refusals.isEmpty)
  }

  @Test
  func `a name that begins with a combining mark keeps its task and its region over a restart`() {
    let name = "\u{301}task"
    var tasks = TaskRequests()
    let request = BackgroundTaskRequest(id: name, kind: .refresh)
    let isKept = tasks.restore(key: "org.example.burger/\(name)", record: request.json.bytes)
    #expect(isKept)
    let key = RegionKey.watched(ModelBench.burger, UTF8Text(name))
    #expect(RegionRecord.key(RegionRecord.name(key)) == key)
  }

  @Test
  func `a byte of an identifier of combining marks costs the same in a long one`() {
    let ratio = CostGrowth.ratio {
      let marks = CostGrowth.combiningMarks($0)
      return ["a", "b"].map { AppNotificationID(app: ModelBench.burger, id: marks + $0) }
    } _: { ids in
      #expect(ids[0] != ids[1])
      #expect(Set(ids).count == 2)
      #expect(
        ScheduleKey(app: "org.example.a", id: ids[0].id)
          != ScheduleKey(app: "org.example.a", id: ids[1].id))
    }
    #expect(ratio <= CostGrowth.most)
  }

  @Test
  func `a byte of a push of combining marks costs the same in a long one`() {
    let ratio = CostGrowth.ratio {
      let marks = CostGrowth.combiningMarks($0 / 6)
      return Array(
        "{\"\(marks)\":1,\"aps\":{\"alert\":\"\(marks)\",\"sound\":\"\(marks)\",\"\(marks)\":1,"
          .utf8) + Array("\"interruption-level\":\"\(marks)\"}}".utf8)
    } _: {
      #expect(PushPayload($0)?.content.hasAlert == true)
    }
    #expect(ratio <= CostGrowth.most)
  }
}
