import Scheduling
import System

/// The machine's own clocks and time zone.
///
/// This class uses two kernel timers: one on the wall clock, which also reports when the wall clock is set, and one on
/// the clock that also counts sleep. When the machine resumes, both timers fire immediately if they are due, so no
/// polling is needed.
final class MachineClock: ScheduleClock {
  /// The paths of the machine's settings that the clock reads; tests use folders of their own.
  struct Paths {
    var settings = "/etc"
    var zones = ZoneDatabase.system
    var boot = "/proc/sys/kernel/random/boot_id"
  }

  var onEvent: ((ScheduleClockEvent) -> Void)?
  private(set) var zone: Zone
  var zones: ZoneDatabase { paths.zones }
  private let loop: EventLoop
  private let paths: Paths
  private let environmentZone: String?
  /// The zone's name as last reported by a service of the machine.
  ///
  /// A later change to the machine's settings clears the name.
  private var reportedZone: String?
  private var elapsed: ElapsedTime
  private var isRecorded: Bool
  private var wallTimer: AlarmTimer?
  private var elapsedTimer: AlarmTimer?
  private var settingsWatch: FolderWatch?
  private var databaseWatch: FolderTreeWatch?
  private var databaseTimer: TimerID?

  /// Creates the clock and starts listening for events.
  ///
  /// - Parameters:
  ///   - loop: The loop on which events are reported.
  ///   - kept: The clock's record of the last run.
  ///   - environmentZone: The value of `TZ`, which fixes the device's zone.
  ///   - paths: The paths of the machine's settings.
  ///   - log: Receives warnings about changes that cannot be watched.
  /// - Throws: A failure if the kernel provides no timer.
  init(
    on loop: EventLoop, kept: [UInt8]?, environmentZone: String?, paths: Paths = Paths(), log: Log
  ) throws(SystemFailure) {
    self.loop = loop
    self.paths = paths
    self.environmentZone = environmentZone
    zone = paths.zones.deviceZone(settings: paths.settings, environment: environmentZone)
    let boot = (try? FileSystem.read(paths.boot, limit: 128)).map {
      String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
    }
    let before = kept.flatMap { ElapsedTime(record: $0) }
    elapsed = ElapsedTime(
      kept: before, boot: boot ?? "unknown", kernel: SystemClock.elapsedMilliseconds,
      wall: SystemClock.unixMilliseconds)
    isRecorded = before?.boot == elapsed.boot
    wallTimer = try AlarmTimer(.wall, on: loop) { [weak self] event in
      self?.onEvent?(event == .due ? .due : .clockWasSet)
    }
    elapsedTimer = try AlarmTimer(.elapsed, on: loop) { [weak self] _ in self?.onEvent?(.due) }
    do {
      settingsWatch = try FolderWatch(paths.settings, on: loop) { [weak self] names in
        guard let self, names.isEmpty || names.contains("localtime") else { return }
        self.reportedZone = nil
        self.readZone()
      }
    } catch {
      log.warning("cannot watch for changes of the time zone", ["why": "\(error)"])
    }
    databaseWatch = FolderTreeWatch(paths.zones.folder, on: loop) { [weak self] in
      self?.databaseChanges()
    }
  }

  /// Waits until the changes to the database stop, because a package writes its files one by one.
  private func databaseChanges() {
    if let timer = databaseTimer { loop.cancel(timer) }
    databaseTimer = loop.schedule(afterNanoseconds: Limits.databaseRestNanoseconds) { [weak self] in
      self?.databaseTimer = nil
      self?.databaseWatch?.refresh()
      self?.readZone()
    }
  }

  private func readZone() {
    zone =
      reportedZone.flatMap(zones.zone)
      ?? zones.deviceZone(settings: paths.settings, environment: environmentZone)
    onEvent?(.zonesChanged)
  }

  /// Sets the zone that a service of the machine reports; `TZ` takes precedence.
  func setReportedZone(_ name: String) {
    guard name != zone.name,
      environmentZone.flatMap({ zones.zone(named: String($0.drop { $0 == ":" })) }) == nil,
      let new = zones.zone(named: name)
    else { return }
    reportedZone = name
    zone = new
    onEvent?(.zonesChanged)
  }

  var now: ScheduleMoment {
    ScheduleMoment(
      wall: SystemClock.unixMilliseconds, elapsed: SystemClock.elapsedMilliseconds + elapsed.offset)
  }

  func wake(atWall wall: Int64?, elapsed moment: Int64?) {
    wallTimer?.set(wall)
    elapsedTimer?.set(moment.map { max($0 - elapsed.offset, 1) })
  }

  func changedRecord() -> [UInt8]? {
    guard elapsed.note(now) || !isRecorded else { return nil }
    isRecorded = true
    return elapsed.record
  }

  func close() {
    onEvent = nil
    wallTimer?.close()
    elapsedTimer?.close()
    settingsWatch?.close()
    databaseWatch?.close()
    if let databaseTimer { loop.cancel(databaseTimer) }
  }
}
