import AppWire
import Scheduling
import Testing

@Suite struct RegionWatchTests {
  private func circle(_ radius: Double = 150, entry: Bool = true, exit: Bool = true)
    -> NotificationRegion
  {
    NotificationRegion(
      id: "tower", shape: .circle(latitude: 48.8584, longitude: 2.2945, radius: radius),
      notifiesOnEntry: entry, notifiesOnExit: exit)
  }

  /// Returns the place that is `metres` meters north of the tower.
  private func place(_ metres: Double, _ certainty: Place.Certainty) throws -> Place {
    try #require(
      Place(
        latitude: 48.8584 + metres / 111_195, longitude: 2.2945, certainty: certainty))
  }

  @Test func `distances are those of the globe`() throws {
    let paris = try #require(Place(latitude: 48.8566, longitude: 2.3522, certainty: .exact))
    #expect(abs(paris.distance(toLatitude: 51.5074, longitude: -0.1278) - 343_556) < 100)
    let dateLine = try #require(Place(latitude: 0, longitude: 179.9995, certainty: .exact))
    #expect(abs(dateLine.distance(toLatitude: 0, longitude: -179.9995) - 111.2) < 0.1)
    #expect(abs(paris.distance(toLatitude: -48.8566, longitude: -177.6478) - 20_015_115) < 10)
    #expect(Place(latitude: 90.1, longitude: 0, certainty: .exact) == nil)
    #expect(Place(latitude: 0, longitude: .nan, certainty: .exact) == nil)
  }

  @Test func `An exact position reports a crossing at once, in both directions`() throws {
    var watch = RegionWatch<String>()
    try watch.watch("t", circle())
    var crossings = watch.handlePosition(try place(1_000, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "t", state: .outside, isWanted: false)])
    crossings = watch.handlePosition(try place(100, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "t", state: .inside, isWanted: true)])
    crossings = watch.handlePosition(try place(10, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [])
    crossings = watch.handlePosition(try place(151, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "t", state: .outside, isWanted: true)])
  }

  @Test func `being there already is no entry, arriving from nowhere is`() throws {
    var watch = RegionWatch<String>()
    try watch.watch("early", circle())
    var crossings = watch.handlePosition(try place(0, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "early", state: .inside, isWanted: true)])
    let state = try watch.watch("late", circle())
    #expect(state == .inside)
    crossings = watch.handlePosition(try place(0, .exact), at: 0)
    watch.checkInvariants()
    #expect(crossings == [])
  }

  @Test func `only crossings in the requested direction are reported`() throws {
    var watch = RegionWatch<String>()
    try watch.watch("in", circle(exit: false), kept: .outside)
    try watch.watch("out", circle(entry: false), kept: .outside)
    let entries = watch.handlePosition(try place(0, .exact), at: 0).filter(\.isWanted).map(\.key)
    watch.checkInvariants()
    let exits = watch.handlePosition(try place(500, .exact), at: 0).filter(\.isWanted).map(\.key)
    watch.checkInvariants()
    #expect(entries == ["in"] && exits == ["out"])
  }

  @Test func `a measured crossing has to be past the bounds for twenty seconds`() throws {
    var watch = RegionWatch<String>()
    try watch.watch("t", circle(), kept: .outside)
    var crossings = watch.handlePosition(try place(100, .measured(metres: 20)), at: 1_000)
    watch.checkInvariants()
    #expect(crossings == [])
    let wakeUp = watch.wakeUp
    #expect(wakeUp == 21_000)
    crossings = watch.advance(to: 20_999)
    watch.checkInvariants()
    #expect(crossings == [])
    crossings = watch.advance(to: 21_000)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "t", state: .inside, isWanted: true)])
    // A brief outlier isn't a crossing, and a position that is too uncertain changes nothing.
    crossings = watch.handlePosition(try place(400, .measured(metres: 20)), at: 30_000)
    watch.checkInvariants()
    crossings += watch.handlePosition(try place(100, .measured(metres: 20)), at: 40_000)
    crossings += watch.advance(to: 60_000)
    crossings += watch.handlePosition(try place(160, .measured(metres: 20)), at: 70_000)
    crossings += watch.handlePosition(try place(400, .measured(metres: 5_000)), at: 80_000)
    crossings += watch.advance(to: 200_000)
    #expect(crossings == [] && watch.wakeUp == nil)
    crossings = watch.handlePosition(try place(289, .measured(metres: 0)), at: 300_000)
    watch.checkInvariants()
    crossings += watch.handlePosition(try place(320, .measured(metres: nil)), at: 320_000)
    #expect(crossings == [.init(key: "t", state: .outside, isWanted: true)])
  }

  @Test func `the first measured position is not a crossing, even after a restart`() throws {
    var watch = RegionWatch<String>()
    try watch.watch("new", circle())
    try watch.watch("kept", circle(), kept: .inside)
    let crossings = watch.handlePosition(try place(0, .measured(metres: 10)), at: 0)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "new", state: .inside, isWanted: false)])
  }

  @Test func `a beacon is entered when heard, and left after half a minute of silence`() throws {
    let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    var watch = RegionWatch<String>()
    try watch.watch(
      "any",
      NotificationRegion(id: "b", shape: .beacon(uuid: uuid.lowercased(), major: nil, minor: nil)))
    try watch.watch(
      "one", NotificationRegion(id: "b", shape: .beacon(uuid: uuid, major: 1, minor: 2)))
    var crossings = watch.handleAdvertisement(of: try beacon(1, 3), at: 0)
    watch.checkInvariants()
    #expect(crossings.map(\.key) == ["any"])
    crossings = watch.handleAdvertisement(of: try beacon(1, 2), at: 5_000)
    watch.checkInvariants()
    #expect(crossings.map(\.key) == ["one"])
    crossings = watch.advance(to: 34_999)
    watch.checkInvariants()
    #expect(crossings == [])
    crossings = watch.advance(to: 35_000)
    watch.checkInvariants()
    #expect(Set(crossings.map(\.key)) == ["any", "one"] && watch.wakeUp == nil)
  }

  private func beacon(_ major: UInt8, _ minor: UInt8) throws -> Beacon {
    let uuid: [UInt8] = [
      0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96,
      0xE0,
    ]
    let data = [0x02, 0x15] + uuid + [0, major, 0, minor, 0xC5]
    return try #require(Beacon(manufacturerData: data))
  }

  @Test func `a beacon that was in reach before a restart and is silent since is left`() throws {
    var watch = RegionWatch<String>()
    let region = NotificationRegion(
      id: "b",
      shape: .beacon(uuid: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", major: nil, minor: nil))
    try watch.watch("gone", region, kept: .inside, at: 1_000)
    try watch.watch("never", region, kept: .outside, at: 1_000)
    #expect(watch.wakeUp == 31_000)
    let crossings = watch.advance(to: 31_000)
    watch.checkInvariants()
    #expect(crossings == [.init(key: "gone", state: .outside, isWanted: true)])
  }

  @Test func `data that is not a beacon's advertisement is rejected`() throws {
    let data = try beacon(1, 2)
    #expect(data.uuid == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
    #expect((data.major, data.minor) == (1, 2))
    for bytes: [UInt8] in [
      [], [0x02], [0x02, 0x15], [UInt8](repeating: 0x02, count: 23),
      [0x02, 0x15] + [UInt8](repeating: 0, count: 20),
      [0x02, 0x15] + [UInt8](repeating: 0, count: 22),
    ] { #expect(Beacon(manufacturerData: bytes) == nil) }
  }

  @Test func `invalid regions are refused`() throws {
    var watch = RegionWatch<String>()
    var refusals: [RegionWatch<String>.Refusal] = []
    for shape: NotificationRegion.Shape in [
      .circle(latitude: 91, longitude: 0, radius: 1), .circle(latitude: 0, longitude: 0, radius: 0),
      .circle(latitude: 0, longitude: 0, radius: .nan),
      .circle(latitude: 0, longitude: 0, radius: 2_000_000),
      .beacon(uuid: "E2C56DB5", major: nil, minor: nil),
    ] {
      do throws(RegionWatch<String>.Refusal) {
        try watch.watch("x", NotificationRegion(id: "x", shape: shape))
      } catch {
        refusals.append(error)
      }
    }
    #expect(refusals == [.notAPlace, .notAPlace, .notAPlace, .tooLarge, .notABeacon])
    #expect(watch.state(of: "x") == .unknown)
  }
}
