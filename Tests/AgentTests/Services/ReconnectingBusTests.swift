import Glibc
import System
import TestSupport
import Testing

@testable import Agent

@Suite("A bus that comes and goes", .serialized)
struct ReconnectingBusTests {
  private static let log = Log(subsystem: "test", sink: .nowhere)

  @Test(.requires(.dbus))
  func `a bus that starts late is found, its end is noticed, and a new one is found`() async throws
  {
    try await Scenario.run { scenario in
      let play = try ServiceScenario(scenario.busAddress(.system))
      var changes: [Bool] = []
      let finder = ReconnectingBus(.at(play.address), on: play.loop, log: Self.log) {
        changes.append($0 != nil)
      }
      finder.open()
      #expect(changes == [] && finder.bus == nil)
      for _ in 0..<2 {
        changes = []
        let bus = try await scenario.startBus(.system)
        #expect(play.run { changes == [true] })
        var id: String?
        finder.bus?.call(
          "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
        ) { id = (try? $0.get())?.first?.stringValue }
        #expect(play.run { id != nil })
        // A killed bus leaves its socket in place, but nothing is listening on it.
        bus.signal(SIGKILL)
        #expect(play.run { changes == [true, false] })
        #expect(finder.bus == nil)
        _ = try await bus.end()
      }
      finder.close()
      _ = try await scenario.startBus(.system)
      play.loop.turn(mayBlock: false)
      #expect(changes == [true, false])
    }
  }

  @Test(arguments: [
    (ENOENT, "its socket does not exist"), (ECONNREFUSED, "no program listens on its socket"),
    (ENOMEDIUM, "the environment contains no address of a bus"), (EACCES, "Permission denied"),
  ])
  func `the reason for a missing bus is stated in plain words`(number: Int32, reason: String) {
    #expect("\(BusFailure.connecting(-number))" == reason)
  }

  @Test
  func `the socket of a bus is found in its address`() {
    func system(_ address: String) -> String? {
      ReconnectingBus.socket(of: .system, ["DBUS_SYSTEM_BUS_ADDRESS": address])
    }
    #expect(ReconnectingBus.socket(of: .system, [:]) == "/run/dbus/system_bus_socket")
    #expect(system("unix:path=/a/b") == "/a/b")
    #expect(system("unix:guid=12,path=/a%20b,x=y") == "/a b")
    #expect(system("tcp:host=localhost,port=1;unix:path=/c") == "/c")
    #expect(system("unix:abstract=/a") == nil)
    #expect(system("") == nil)
    #expect(
      ReconnectingBus.socket(of: .session, ["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/bus")
    #expect(
      ReconnectingBus.socket(
        of: .session,
        ["XDG_RUNTIME_DIR": "/run/user/1", "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=/a"]) == nil)
    #expect(ReconnectingBus.socket(of: .session, [:]) == nil)
  }
}
