import Agent
import BelfryWire
import Scheduling

/// The device on which the agent runs: its clocks, time zones, locations, and conditions.
final class SimulatedMachine {
  static let zones = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Pacific/Apia"]
  /// Locations that are far apart from each other.
  ///
  /// Each location except the last is the center of a region.
  static let sites = [(48.8584, 2.2945), (40.6892, -74.0445), (-33.8568, 151.2153), (0, -160.0)]

  /// The UUID of a beacon that also has a region.
  static let beaconUUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

  private unowned let world: AgentSimulation
  /// The amount of time, in milliseconds, by which the wall clock was set ahead; negative if it was set back.
  private var lead: Int64 = 0
  private var zone = Zone.utc
  private var manual = ManualClock(kept: nil)
  /// The time that a manual clock showed when it was last read.
  private var latestManual: Int64 = 0
  /// The number of times that the clock was set back.
  private(set) var setBackCount = 0
  /// The number of times that the clock was set while the agent might have been running.
  private(set) var clockSetCount = 0
  private var site = 0
  /// The number of the latest alarm on the clock; earlier alarms have no effect.
  private(set) var alarm = 0

  init(in world: AgentSimulation) { self.world = world }

  // MARK: Time

  /// The clock of the agent's current run.
  var clock: any ScheduleClock { world.profile.hasManualClock ? manual : SimulatedClock(of: world) }

  /// Counts a step back of the manual clock if the agent has set the clock back since the last call.
  func noteManualClock() {
    let wall = manual.now.wall
    if wall < latestManual { setBackCount += 1 }
    latestManual = wall
  }

  var now: AgentTime {
    let elapsed = world.time.now / 1_000_000
    let moment =
      world.profile.hasManualClock
      ? manual.now : ScheduleMoment(wall: world.time.epoch + elapsed + lead, elapsed: elapsed)
    return AgentTime(wall: moment.wall, elapsed: moment.elapsed, awake: elapsed)
  }

  /// Returns the time at which the wall clock will show `wall`, unless the clock is set before then.
  func nanoseconds(atWall wall: Int64) -> Int64 {
    let (wait, isFar) = wall.subtractingReportingOverflow(world.time.epoch + lead)
    return isFar || wait > Int64.max / 1_000_000 ? .max / 2 : max(0, wait) * 1_000_000
  }

  var zoneFolder: ZoneFolder {
    ZoneFolder(
      .system, deviceZone: world.profile.hasManualClock ? manual.zone : zone,
      makeCalendar: { _ in nil })
  }

  /// Restores the manual clock from the agent's records, if the world uses one.
  func agentStarts() {
    guard world.profile.hasManualClock else { return }
    manual = ManualClock(kept: world.records.durable[.schedule][ScheduleRecord.clockKey])
    noteManualClock()
  }

  /// Reports `scheduleDue` at the earlier of two times, replacing an earlier alarm.
  func wake(atWall wall: Int64?, elapsed: Int64?) {
    alarm += 1
    let (alarm, life) = (alarm, world.agent.life)
    let moment = [wall.map(nanoseconds(atWall:)), elapsed.map(AgentTimers.nanoseconds)]
      .compactMap { $0 }.min()
    guard let moment else { return }
    world.time.at(moment + world.milliseconds(20)) { [self] in
      if life == world.agent.life, alarm == self.alarm { world.agent.report(.scheduleDue) }
    }
  }

  // MARK: Faults

  func plan() {
    if !world.profile.hasManualClock {
      world.plan(every: world.profile.clockEvery) { [self] in changeTime() }
    }
    world.plan(every: world.profile.conditionEvery) { [self] in changeCondition() }
    world.plan(every: world.profile.placeEvery) { [self] in move() }
  }

  private func changeTime() {
    guard world.chance(0.6) else {
      zone = ZoneDatabase.system.zone(named: world.pick(Self.zones)) ?? .utc
      return world.agent.report(.zonesChanged(zoneFolder))
    }
    let step =
      world.pick([-86_400_000, -600_000, -60_000, -1_000, 1_000, 60_000, 600_000, 90_000_000])
      + world.random(Int64(-999)...999)
    lead += step
    clockSetCount += 1
    if step < 0 { setBackCount += 1 }
    world.note("the clock steps by \(step) ms")
    // A clock change disables the alarms on the wall clock until the agent sets them again.
    alarm += 1
    world.time.after(world.milliseconds(5)) { [self] in world.agent.report(.clockWasSet) }
  }

  private func changeCondition() {
    let isOn = world.chance(0.5)
    let changes: [DeviceChange] = [
      .batteryLow(isOn), .powerSaver(isOn), .metered(isOn), .sessionLocked(isOn),
      .sessionLocked(false), .sessionEnded, .asleep(isOn), .desktopQuiet(isOn),
      .online(isOtherNetwork: isOn), .servicesLost,
    ]
    switch world.random(0...9) {
    case 0:
      let names = [world.pick(world.apps).id.text]
      world.agent.report(
        .focusedWindowChanged(isOn ? FocusedWindow(process: nil, names: names) : nil))
    case 1, 2: world.agent.report(.presenterAppeared(.desktop, isNew: isOn))
    default: world.agent.report(.conditionChanged(world.pick(changes)))
    }
  }

  private func move() {
    site = world.random(0...Self.sites.count - 1)
    let (latitude, longitude) = Self.sites[site]
    switch world.random(0...5) {
    case 0: world.agent.report(.locationServiceEnded)
    case 5:
      let bytes = Hexadecimal.decode(
        "0215" + Self.beaconUUID.replacing("-", with: "") + "00010002C5")
      guard let beacon = bytes.flatMap(Beacon.init(manufacturerData:)) else {
        preconditionFailure("invalid beacon")
      }
      world.agent.report(.beaconHeard(beacon))
    case 1:
      if let place = Place(
        latitude: latitude, longitude: longitude, certainty: .measured(metres: 10))
      {
        world.agent.report(.located(place))
      }
    default:
      SimulatedCommand.run([.setPlace(latitude: latitude, longitude: longitude)], in: world)
    }
  }

  // MARK: Calm period

  func calmDown() {
    for change in [DeviceChange.servicesLost, .desktopQuiet(false), .sessionLocked(false)] {
      world.agent.report(.conditionChanged(change))
    }
    SimulatedCommand.run([.state(["locked": "off", "focus": "off", "metered": "off"])], in: world)
    world.agent.report(.presenterAppeared(.desktop, isNew: true))
  }

  /// Advances time by an hour, including on a manual clock.
  func passTime() {
    guard world.profile.hasManualClock else { return }
    SimulatedCommand.run([.advanceClock(milliseconds: 3_600_000)], in: world)
  }
}

/// The machine's clock as one run of the agent sees it.
private final class SimulatedClock: ScheduleClock {
  private unowned let world: AgentSimulation
  /// Unused, because the world reports the clock's events itself.
  var onEvent: ((ScheduleClockEvent) -> Void)?

  init(of world: AgentSimulation) { self.world = world }

  var now: ScheduleMoment {
    let now = world.machine.now
    return ScheduleMoment(wall: now.wall, elapsed: now.elapsed)
  }

  var zone: Zone { world.machine.zoneFolder.deviceZone }

  func wake(atWall wall: Int64?, elapsed: Int64?) {
    world.machine.wake(atWall: wall, elapsed: elapsed)
  }

  func changedRecord() -> [UInt8]? { nil }

  func close() {}
}
