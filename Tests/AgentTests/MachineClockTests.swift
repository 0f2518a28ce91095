import BelfryWire
import Foundation
import System
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(1))) struct MachineClockTests {
  private func temporaryFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  private func link(_ folder: String, to zone: String) throws {
    // As timedatectl does it: a new link, renamed over the old one.
    let new = folder + "/.new"
    try FileManager.default.createSymbolicLink(
      atPath: new, withDestinationPath: "/usr/share/zoneinfo/\(zone)")
    _ = new.withCString { old in (folder + "/localtime").withCString { rename(old, $0) } }
  }

  @Test func `a moment on either clock wakes, and the zone's link is followed`() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try link(folder, to: "Europe/Paris")
    let loop = try EventLoop()
    var paths = MachineClock.Paths()
    paths.settings = folder
    paths.zones = folder
    let clock = try MachineClock(
      on: loop, kept: nil, environmentZone: nil, paths: paths,
      log: Log(subsystem: "test", sink: .nowhere))
    defer { clock.close() }
    #expect(clock.zone.name == "Europe/Paris")

    var events: [ScheduleClockEvent] = []
    clock.onEvent = { events.append($0) }
    let now = clock.now
    clock.wake(atWall: now.wall + 20, elapsed: nil)
    while events.isEmpty { loop.turn(mayBlock: true) }
    #expect(events == [.due] && clock.now.wall >= now.wall + 20)
    clock.wake(atWall: nil, elapsed: now.elapsed + 40)
    while events.count < 2 { loop.turn(mayBlock: true) }
    #expect(events == [.due, .due] && clock.now.elapsed >= now.elapsed + 40)

    try link(folder, to: "Asia/Tokyo")
    while events.count < 3 { loop.turn(mayBlock: true) }
    #expect(events.last == .zonesChanged && clock.zone.name == "Asia/Tokyo")
  }

  @Test func `the kernel's run is recorded once, and elapsed time goes on from there`() throws {
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
}
