import BelfryWire
import System

/// The machine's own clocks and zone.
///
/// Two timers of the kernel: one on the wall clock, which tells when that is set, one on the clock
/// that also counts sleep. Both are due at once after a resume. Nothing polls.
final class MachineClock: ScheduleClock {
  /// Where the machine keeps what this reads; a test has folders of its own.
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
  /// The zone's name as a service of the machine reported it, after the machine's settings.
  private var reportedZone: String?
  private var elapsed: ElapsedTime
  private var isRecorded: Bool
  private var wallTimer: AlarmTimer?
  private var elapsedTimer: AlarmTimer?
  private var settingsWatch: FolderWatch?
  private var databaseWatch: FolderTreeWatch?
  private var databaseTimer: TimerID?

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - loop: Whose turns events come in.
  ///   - kept: The clock's record of the last run.
  ///   - environmentZone: `TZ`, which fixes the device's zone.
  ///   - paths: Where the machine's settings are.
  ///   - log: Receives what cannot be watched.
  /// - Throws: When the kernel gives no timer.
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
      log.warning("changes of the time zone are not noticed", ["why": "\(error)"])
    }
    databaseWatch = FolderTreeWatch(paths.zones.folder, on: loop) { [weak self] in
      self?.databaseChanges()
    }
  }

  /// A package puts the database's files in one by one: it is read when no more come.
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

  /// A service of the machine says which zone the device is in; `TZ` still fixes it.
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
