import AppWire
import Scheduling
import Foundation
import System
import TestSupport
import Testing

@testable import Agent

/// A device that records the reports of its location services and the resulting region crossings.
private final class Traveller {
  private var regions = WatchedRegions(dwell: 300)
  private let loop: EventLoop
  private var services: LocationServices?
  private(set) var crossed: [String] = []
  private(set) var places = 0
  private(set) var isReported = false
  private var allowed: Set<AppID> = []

  init(on loop: EventLoop) { self.loop = loop }

  func use(_ bus: BusConnection, log: Log) {
    let services = LocationServices(on: loop) { [weak self] in self?.heard($0) }
    self.services = services
    services.use(bus, log: log)
  }

  func allow(_ apps: Set<AppID>) {
    allowed = apps
    regions.onPermissionChanged()
    settle()
  }

  func watch(_ key: RegionKey, _ region: NotificationRegion) throws {
    var effects: [AgentEffect] = []
    try regions.add(key, region, repeats: true, &effects)
    settle()
  }

  func unwatch(_ key: RegionKey) {
    var effects: [AgentEffect] = []
    regions.remove([key], &effects)
    settle()
  }

  func state(of key: RegionKey) -> RegionState { regions.state(of: key) }

  func close() { services?.close() }

  private func heard(_ event: AgentEvent) {
    let now = loop.nowNanoseconds / 1_000_000
    switch event {
    case .located(let place):
      places += 1
      isReported = true
      crossed += wanted(regions.onPlace(place, atAwake: now))
    case .locationServiceEnded:
      isReported = false
      regions.onServiceEnded()
    case .beaconHeard(let beacon): crossed += wanted(regions.onBeacon(beacon, atAwake: now))
    case .regionsDue: crossed += wanted(regions.onTimePassed(atAwake: now))
    default: Issue.record("\(event)")
    }
    settle()
  }

  private func wanted(_ crossings: [WatchedRegions.Crossing]) -> [String] {
    crossings.filter(\.isWanted).map { "\($0.region.id) \($0.state.rawValue)" }
  }

  private func settle() {
    var effects: [AgentEffect] = []
    if regions.appsToAllow != nil { regions.updateNeeds(allowed: allowed, &effects) }
    regions.arm(&effects)
    regions.checkInvariants()
    for effect in effects {
      switch effect {
      case .useLocationServices(let needs): services?.run(needs)
      case .armRegions(let moment): services?.arm(atAwakeMilliseconds: moment)
      default: break
      }
    }
  }
}

/// Tests of the agent's location services with the real GeoClue and with python-dbusmock's simulation of BlueZ.
@Suite("Location services", .serialized)
struct LocationServicesTests {
  private static let log = Log(subsystem: "test", sink: .nowhere)

  private func app() throws -> AppID { try #require(AppID("org.example.map")) }

  // MARK: GeoClue

  /// A positioning receiver that reads a position from standard input and reports it on a Unix socket.
  private static let receiver = """
    import os, select, socket, sys, time
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
    server.listen(5)
    print("listens", flush=True)
    place, clients = None, []
    def angle(value, width, signs):
        whole = int(abs(value))
        minutes = (abs(value) - whole) * 60
        return "%0*d%07.4f,%s" % (width, whole, minutes, signs[value < 0])
    while True:
        ready, _, _ = select.select([server, sys.stdin], [], [], 0.1)
        if server in ready:
            clients.append(server.accept()[0])
            print("client", flush=True)
        if sys.stdin in ready:
            line = sys.stdin.readline()
            if not line: break
            place = [float(number) for number in line.split(",")]
        if place is None: continue
        text = "GPGGA,%s,%s,%s,1,08,1.0,35.0,M,47.0,M,," % (
            time.strftime("%H%M%S.00", time.gmtime()), angle(place[0], 2, "NS"),
            angle(place[1], 3, "EW"))
        check = 0
        for letter in text: check ^= ord(letter)
        for client in list(clients):
            try: client.sendall(("$%s*%02X\\r\\n" % (text, check)).encode())
            except OSError:
                clients.remove(client)
                print("gone", flush=True)
    """

  private static let configuration = """
    [agent]
    whitelist=belfry
    [network-nmea]
    enable=true
    nmea-socket=SOCKET
    [3g]
    enable=false
    [cdma]
    enable=false
    [modem-gps]
    enable=false
    [wifi]
    enable=false
    [compass]
    enable=false
    """

  /// Starts GeoClue on a bus, without network sources and with a receiver whose position `tell` sets.
  private static func startGeoClue(_ scenario: Scenario, bus: String) async throws -> RunningProgram
  {
    let socket = scenario.folder.file("nmea")
    let receiver = try scenario.start([
      try TestTool.systemPython.required(), "-c", Self.receiver, socket,
    ])
    _ = try await receiver.output(called: "the receiver to listen") { $0 == ["listens"] }
    let file = scenario.folder.file("geoclue.conf")
    try Self.configuration.replacingOccurrences(of: "SOCKET", with: socket)
      .write(toFile: file, atomically: true, encoding: .utf8)
    _ = try scenario.start(
      [
        try TestTool.unshare.required(), "-rmn", "sh", "-c",
        "mount --bind '\(file)' /etc/geoclue/geoclue.conf && exec '\(try TestTool.geoclue.required())'",
      ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus])
    return receiver
  }

  @Test(.requires(.dbus, .geoclue, .unshare, .systemPython))
  func
    `Real GeoClue tells of entering and leaving a circle, and rests when nothing is watched`()
    async throws
  {
    try await ServiceScenario.run(
      prepare: { try await Self.startGeoClue($0, bus: $1) },
      { scenario, receiver in
        let bus = try scenario.connect()
        let traveller = Traveller(on: scenario.loop)
        #expect(scenario.run(until: Self.owns(scenario, bus, "org.freedesktop.GeoClue2")))
        traveller.use(bus, log: Self.log)
        let tower = NotificationRegion(
          id: "tower", shape: .circle(latitude: 48.8584, longitude: 2.2945, radius: 150))
        // An app without location access starts no service.
        try traveller.watch(.watched(try app(), "tower"), tower)
        receiver.tell("48.80,2.29")
        traveller.allow([try app()])
        #expect(scenario.run { traveller.isReported && traveller.places > 0 })
        #expect(traveller.state(of: .watched(try app(), "tower")) == .outside)
        #expect(traveller.crossed == [])
        receiver.tell("48.8584,2.2945")
        #expect(scenario.run { traveller.crossed == ["tower inside"] })
        receiver.tell("48.8700,2.2945")
        #expect(scenario.run { traveller.crossed == ["tower inside", "tower outside"] })
        traveller.unwatch(.watched(try app(), "tower"))
        #expect(!traveller.isReported)
        #expect(scenario.run { receiver.lines.contains("gone") })
        traveller.close()
      })
  }

  @Test(.requires(.dbus))
  func `GeoClue is asked at once when it starts after a request, and again when it restarts`()
    async throws
  {
    try await ServiceScenario.run { scenario in
      let service = try GeoClueService(
        bus: try scenario.connect(), on: scenario.loop, log: Self.log
      ) { _ in }
      defer { service.close() }
      service.set(isNeeded: true)
      #expect(scenario.run { service.isWaiting })
      for _ in 0..<2 {
        var asked: [String] = []
        let geoClue = try scenario.connect()
        try geoClue.export("/org/freedesktop/GeoClue2/Manager") { message in
          asked.append(message.member)
          return .success(message.member == "GetClient" ? [.path("/client")] : [])
        }
        try geoClue.export("/client") { message in
          asked.append(message.member)
          return .success([])
        }
        geoClue.call(
          "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
          [.string("org.freedesktop.GeoClue2"), .uint32(0)]
        ) { _ in }
        #expect(scenario.run { asked.contains("GetClient") && asked.contains("Start") })
        geoClue.close()
      }
    }
  }

  @Test(.requires(.dbus, .geoclue, .unshare, .systemPython))
  func `an agent that watches a place asks the real GeoClue when the system bus starts`()
    async throws
  {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("ready")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
          "--ready-file", ready,
        ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": scenario.busAddress()])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      _ = try await scenario.belfryCommand([
        "notify", "--app", "org.example.map", "--title", "T", "--near", "48.8584,2.2945,150",
      ])
      let bus = try await scenario.bus()
      let receiver = try await Self.startGeoClue(scenario, bus: bus)
      // GeoClue listens to the receiver only while a client requests the location.
      _ = try await receiver.output(called: "the connection of GeoClue") { $0.contains("client") }
      _ = try await scenario.belfryCommand(["settings", "--location", "off"])
      receiver.tell("48.8584,2.2945")
      _ = try await receiver.output(called: "the disconnection of GeoClue") { $0.contains("gone") }
      #expect(try await agent.stop() == 0)
    }
  }

  private static func owns(
    _ scenario: ServiceScenario, _ bus: BusConnection, _ name: String
  ) -> () -> Bool {
    var isOwned = false
    func ask() {
      bus.call(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
        [.string(name)]
      ) { result in
        isOwned = (try? result.get())?.first?.boolValue == true
        if !isOwned { ask() }
      }
    }
    ask()
    return { isOwned }
  }

  // MARK: BlueZ

  private static func mock(
    _ scenario: Scenario, _ template: String, bus: String
  ) throws -> RunningProgram {
    try scenario.start(
      [try TestTool.systemPython.required(), "-m", "dbusmock", "--template", template],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus])
  }

  private static let beaconBytes: [UInt8] =
    [0x02, 0x15] + [UInt8](repeating: 0xAB, count: 16) + [0, 1, 0, 2, 0xC5]

  @Test(.requires(.dbus, .dbusmock))
  func `A beacon that BlueZ reports puts the device inside its region`() async throws {
    try await ServiceScenario.run(
      prepare: { try Self.mock($0, "bluez5", bus: $1) },
      { scenario, _ in
        let person = try scenario.connect()
        #expect(scenario.run(until: Self.owns(scenario, person, "org.bluez")))
        var done: [String] = []
        func say(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
          person.call("org.bluez", path, interface, member, arguments) { result in
            if case .failure(let failure) = result { Issue.record("\(member): \(failure)") }
            done.append(member)
          }
        }
        say("/", "org.bluez.Mock", "AddAdapter", [.string("hci0"), .string("here")])
        #expect(scenario.run { done == ["AddAdapter"] })
        let traveller = Traveller(on: scenario.loop)
        traveller.use(try scenario.connect(), log: Self.log)
        let uuid = "ABABABAB-ABAB-ABAB-ABAB-ABABABABABAB"
        let door = NotificationRegion(
          id: "door", shape: .beacon(uuid: uuid, major: 1, minor: nil))
        traveller.allow([try app()])
        try traveller.watch(.watched(try app(), "door"), door)
        // The scanner requests discovery. The mock reports this only when queried.
        var isDiscovering = false
        var wanted = true
        func look() {
          person.call(
            "org.bluez", "/org/bluez/hci0", "org.freedesktop.DBus.Properties", "Get",
            [.string("org.bluez.Adapter1"), .string("Discovering")]
          ) { result in
            isDiscovering = (try? result.get())?.first?.boolValue == true
            if isDiscovering != wanted { look() }
          }
        }
        look()
        #expect(scenario.run { isDiscovering })
        say(
          "/", "org.bluez.Mock", "AddDevice",
          [.string("hci0"), .string("11:22:33:44:55:66"), .string("b")])
        let data = BusValue.dictionary(
          "q", "v",
          [.init(key: .uint16(Beacon.company), value: .variant(.bytes(Self.beaconBytes)))])
        say(
          "/org/bluez/hci0/dev_11_22_33_44_55_66", "org.freedesktop.DBus.Mock", "EmitSignal",
          [
            .string("org.freedesktop.DBus.Properties"), .string("PropertiesChanged"),
            .string("sa{sv}as"),
            .array(
              "v",
              [
                .variant(.string("org.bluez.Device1")),
                .variant(.vardict([("ManufacturerData", data)])), .variant(.strings([])),
              ]),
          ])
        #expect(scenario.run { traveller.crossed == ["door inside"] })
        traveller.unwatch(.watched(try app(), "door"))
        // When there is nothing to scan for, the radio is idle.
        wanted = false
        look()
        #expect(scenario.run { !isDiscovering })
        traveller.close()
      })
  }

  @Test
  func `an app watches twenty regions, and no more (client-api 3.54)`() throws {
    var regions = WatchedRegions()
    var effects: [AgentEffect] = []
    func circle(_ id: Int) -> NotificationRegion {
      NotificationRegion(id: "\(id)", shape: .circle(latitude: 1, longitude: 1, radius: 100))
    }
    for id in 0..<20 {
      try regions.add(.watched(try app(), "\(id)"), circle(id), repeats: true, &effects)
    }
    let waiting = RegionKey.request(AppNotificationID(app: try app(), id: "n"))
    #expect(throws: AppLinkFailure.self) {
      try regions.add(waiting, circle(21), repeats: false, &effects)
    }
    // A region replaces another region with the same name, and another app has its own limit of twenty regions.
    try regions.add(.watched(try app(), "3"), circle(3), repeats: true, &effects)
    let other = try #require(AppID("org.example.other"))
    try regions.add(.watched(other, "3"), circle(3), repeats: true, &effects)
    regions.remove([.watched(try app(), "7")], &effects)
    try regions.add(waiting, circle(21), repeats: false, &effects)
  }

  // MARK: Time zone and sleep

  @Test(.requires(.dbus, .dbusmock))
  func `the machine's zone and sleep are followed as timedated and logind tell them`() async throws
  {
    try await ServiceScenario.run(
      prepare: { scenario, bus in
        [
          try Self.mock(scenario, "timedated", bus: bus),
          try Self.mock(scenario, "logind", bus: bus),
        ]
      },
      { scenario, _ in
        let person = try scenario.connect()
        #expect(scenario.run(until: Self.owns(scenario, person, "org.freedesktop.timedate1")))
        #expect(scenario.run(until: Self.owns(scenario, person, "org.freedesktop.login1")))
        var changes: [SystemServices.Change] = []
        let services = try SystemServices(bus: try scenario.connect()) {
          changes.append($0)
        }
        #expect(scenario.run { changes.contains(.zone("Etc/Utc")) })
        person.call(
          "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.timedate1",
          "SetTimezone", [.string("Asia/Tokyo"), .bool(false)]
        ) { _ in }
        #expect(scenario.run { changes.contains(.zone("Asia/Tokyo")) })
        for (sleeps, _) in [(true, 0), (false, 1)] {
          person.call(
            "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.DBus.Mock",
            "EmitSignal",
            [
              .string("org.freedesktop.login1.Manager"), .string("PrepareForSleep"), .string("b"),
              .array("v", [.variant(.bool(sleeps))]),
            ]
          ) { _ in }
          #expect(scenario.run { changes.contains(.device(.asleep(sleeps))) })
        }
        _ = services
      })
  }

  @Test(.requires(.dbus, .dbusmock))
  func `An agent's floating alarm goes with the zone that timedated tells; TZ fixes it`()
    async throws
  {
    try await Scenario.run { scenario in
      let bus = try await scenario.bus()
      let mock = try Self.mock(scenario, "timedated", bus: bus)
      let setZone = [
        try TestTool.dbusSend.required(), "--system", "--print-reply",
        "--dest=org.freedesktop.timedate1", "/org/freedesktop/timedate1",
        "org.freedesktop.timedate1.SetTimezone",
      ]
      let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus]
      func move(to zone: String) async throws {
        // The mock acquires its name shortly after it starts.
        for _ in 0..<100 {
          let result = try await scenario.command(
            setZone + ["string:\(zone)", "boolean:false"], environment: environment,
            succeeding: false)
          if result.status == 0 { return }
          #expect(mock.isRunning)
        }
        Issue.record("timedated did not set the time zone")
      }
      try await move(to: "Asia/Tokyo")
      let ready = scenario.folder.file("ready")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
          "--ready-file", ready,
        ], environment: environment)
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      _ = try await scenario.belfryCommand([
        "notify", "--app", "org.example.alarm", "--title", "A", "--id", "a", "--at",
        "2099-07-01T09:00",
      ])
      for (zone, expected) in [
        ("America/Los_Angeles", "2099-07-01T16:00:00Z"), ("Asia/Tokyo", "2099-07-01T00:00:00Z"),
      ] {
        try await move(to: zone)
        // The signal and the command reach the agent on different paths, so repeat the command until the zone has
        // changed.
        var lines: [String] = []
        for _ in 0..<200 where lines != [expected] {
          lines = try await scenario.belfryCommand(["notify", "next", "a"]).lines
        }
        #expect(lines == [expected])
      }
      #expect(try await agent.stop() == 0)
    }
  }
}
