import AppWire
import Foundation
import System
import TestSupport
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(60))) struct MachineClockTests {
  private func link(_ folder: String, to zone: String) throws {
    // Rename a new link over the old one, as timedatectl does.
    let new = folder + "/.new"
    try FileManager.default.createSymbolicLink(
      atPath: new, withDestinationPath: "/usr/share/zoneinfo/\(zone)")
    _ = new.withCString { old in (folder + "/localtime").withCString { rename(old, $0) } }
  }

  @Test func `a moment on either clock wakes, and the zone's link is followed`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    try link(folder, to: "Europe/Paris")
    let loop = try EventLoop()
    var paths = MachineClock.Paths()
    paths.settings = folder
    paths.zones = ZoneDatabase(folder: folder)
    let clock = try MachineClock(
      on: loop, kept: nil, environmentZone: nil, paths: paths,
      log: Log(subsystem: "test", sink: .nowhere))
    defer { clock.close() }
    #expect(clock.zone.name == "Europe/Paris")

    var events: [ScheduleClockEvent] = []
    clock.onEvent = { events.append($0) }
    let now = clock.now
    clock.wake(atWall: now.wall + 20, elapsed: nil)
    try loop.turn(while: events.isEmpty)
    #expect(events == [.due] && clock.now.wall >= now.wall + 20)
    clock.wake(atWall: nil, elapsed: now.elapsed + 40)
    try loop.turn(while: events.count < 2)
    #expect(events == [.due, .due] && clock.now.elapsed >= now.elapsed + 40)

    try link(folder, to: "Asia/Tokyo")
    try loop.turn(while: events.count < 3)
    #expect(events.last == .zonesChanged && clock.zone.name == "Asia/Tokyo")
  }

  @Test func `the boot of the kernel is recorded once, and elapsed time continues from there`()
    throws
  {
    let loop = try EventLoop()
    let log = Log(subsystem: "test", sink: .nowhere)
    let first = try MachineClock(on: loop, kept: nil, environmentZone: "Asia/Tokyo", log: log)
    let record = try #require(first.changedRecord())
    #expect(first.changedRecord() == nil)
    #expect(first.zone.name == "Asia/Tokyo")
    let second = try MachineClock(on: loop, kept: record, environmentZone: nil, log: log)
    #expect(second.changedRecord() == nil)
    #expect(abs(second.now.elapsed - first.now.elapsed) < 10_000)
    first.close()
    second.close()
  }

  /// Installs the rules of one of the machine's zones under another name.
  ///
  /// The method renames the new file over the old one, as a package manager does.
  private func put(_ zone: String, as path: String) throws {
    let new = path + ".new"
    try FileManager.default.copyItem(atPath: ZoneDatabase.system.folder + "/" + zone, toPath: new)
    _ = new.withCString { old in path.withCString { rename(old, $0) } }
  }

  @Test
  func `A new time zone database moves only the triggers that depend on a changed zone`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let zones = folder + "/zones"
    try FileManager.default.createDirectory(
      atPath: zones + "/Test", withIntermediateDirectories: true)
    try put("Europe/Paris", as: zones + "/Test/Town")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/localtime", withDestinationPath: zones + "/Test/Town")
    let loop = try EventLoop()
    let paths = MachineClock.Paths(settings: folder, zones: ZoneDatabase(folder: zones))
    let clock = try MachineClock(
      on: loop, kept: nil, environmentZone: nil, paths: paths,
      log: Log(subsystem: "test", sink: .nowhere))
    #expect(clock.zone.name == "Test/Town")
    let waiting = Waiting(clock)
    defer { clock.close() }
    for (id, zone) in [("device", nil), ("town", "Test/Town"), ("utc", "UTC")] {
      var match = MatchingComponents([.year: 2_099, .month: 7, .day: 1, .hour: 9])
      match.zone = zone
      try waiting.add(id, .calendar(match, repeats: false))
    }
    func moments() -> [String: String] { waiting.moments() }
    func waits(until hour: String) -> [String: String] {
      let there = "2099-07-01T\(hour):00:00Z"
      return ["device": there, "town": there, "utc": "2099-07-01T09:00:00Z"]
    }
    #expect(moments() == waits(until: "07"))
    // Change one file in a folder of the database.
    try put("Asia/Tokyo", as: zones + "/Test/Town")
    try loop.turn(while: moments() == waits(until: "07"))
    #expect(moments() == waits(until: "00"))
    // Replace the whole database.
    let old = folder + "/old"
    _ = zones.withCString { path in old.withCString { rename(path, $0) } }
    try FileManager.default.createDirectory(
      atPath: zones + "/Test", withIntermediateDirectories: true)
    try put("America/Los_Angeles", as: zones + "/Test/Town")
    try loop.turn(while: moments() == waits(until: "00"))
    #expect(moments() == waits(until: "16"))
    // The clock also watches the database that replaced the old one.
    try put("Europe/Paris", as: zones + "/Test/Town")
    try loop.turn(while: moments() == waits(until: "16"))
    #expect(moments() == waits(until: "07"))
  }

  @Test func `a zone that a service reported is reloaded by name when its file changes`() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    try put("Europe/Paris", as: folder + "/Here")
    try put("Asia/Tokyo", as: folder + "/There")
    let loop = try EventLoop()
    let paths = MachineClock.Paths(
      settings: folder + "/none", zones: ZoneDatabase(folder: folder))
    let clock = try MachineClock(
      on: loop, kept: nil, environmentZone: nil, paths: paths,
      log: Log(subsystem: "test", sink: .nowhere))
    defer { clock.close() }
    clock.setReportedZone("There")
    var events = 0
    clock.onEvent = { _ in events += 1 }
    try put("America/Los_Angeles", as: folder + "/There")
    try loop.turn(while: events == 0)
    #expect(clock.zone.name == "There")
    // In this time zone, local time is seven hours behind UTC at noon in the summer of 2026.
    #expect(clock.zone.offset(at: 1_783_000_000) == -25_200)
  }
}

/// A list of pending notifications, whose triggers depend on a clock and on its time zones.
private final class Waiting {
  private var scheduled: ScheduledNotifications
  private let clock: MachineClock

  init(_ clock: MachineClock) {
    self.clock = clock
    scheduled = ScheduledNotifications(
      pendingLimit: 64, zones: Self.zones(clock), isManual: false)
    clock.onEvent = { [weak self] in self?.heard($0) }
  }

  private static func zones(_ clock: MachineClock) -> ZoneFolder {
    ZoneFolder(clock.zones, deviceZone: clock.zone, makeCalendar: { _ in nil })
  }

  private func heard(_ event: ScheduleClockEvent) {
    guard event == .zonesChanged else { return }
    var effects: [AgentEffect] = []
    let ask = scheduled.onZonesChanged(to: Self.zones(clock), at: clock.now, &effects)
    #expect(ask == nil)
  }

  func add(_ id: String, _ trigger: NotificationTrigger) throws {
    var effects: [AgentEffect] = []
    let key = AppNotificationID(app: ModelBench.burger, id: id)
    #expect(try scheduled.add(key, trigger, at: clock.now, &effects)?.isEmpty == true)
  }

  func moments() -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: scheduled.pending(of: nil, at: clock.now).map { waiting in
        let date = Date(timeIntervalSince1970: Double(waiting.next) / 1_000)
        return (waiting.key.id, date.formatted(.iso8601))
      })
  }
}
