import BelfryWire
import Storage
import System

/// A watcher that renews the listeners' certificates before they expire, detects changes to the operator's files, and
/// reports expirations.
///
/// A metric always reports the expirations. The log reports them daily, starting a month before the expiration, or a
/// year before it for the authority.
///
/// The watcher uses an `ExpiryClock`. If the wall clock jumps ahead, certificates aren't renewed until the new time is
/// trusted. Certificates that were issued under a wrong clock are replaced once the clock is right.
///
/// The watcher is confined to the main loop.
final class CertificateWatch {
  /// A function that returns the monotonic time in nanoseconds and the wall-clock time in milliseconds since 1970.
  typealias Clocks = () -> (nanoseconds: Int64, unixMilliseconds: Int64)

  private let source: CertificateSource
  private let store: any ControlStore
  private let writer: ControlWriter
  private let metrics: GatewayMetrics
  private let log: Log
  private var shown: ListenerCertificates
  private var stamps: [FileSystem.Stamp?]
  private let clocks: Clocks
  private var clock: ExpiryClock
  private var lastSeconds: Int64 = 0
  private var nextCheckSeconds: Int64 = 0
  private var nextWarningSeconds: Int64 = 0
  private var nextCountSeconds: Int64 = 0
  private var nextProviderSeconds: Int64 = 0
  /// The expiration times, readable on any thread.
  let ends: CertificateEnds
  /// The current authorities, both for signing and for trust.
  var authorities: Authorities { shown.authorities }

  init(
    _ shown: ListenerCertificates, from source: CertificateSource, store: any ControlStore,
    writer: ControlWriter, ends: CertificateEnds, clocks: @escaping Clocks, metrics: GatewayMetrics,
    log: Log
  ) {
    self.clocks = clocks
    let start = clocks()
    clock = ExpiryClock(nanoseconds: start.nanoseconds, unixMilliseconds: start.unixMilliseconds)
    self.shown = shown
    self.source = source
    self.store = store
    self.writer = writer
    self.ends = ends
    self.metrics = metrics
    self.log = log
    stamps = shown.files.map(FileSystem.stamp(of:))
  }

  /// Performs any work that is due.
  ///
  /// Returns the listeners' new certificates, or nil if they haven't changed.
  func tick(_ configuration: GatewayConfiguration) -> ListenerSecurity? {
    let nowSeconds = readClock()
    // A count reads a row for each device, so count often only while the result is about to change.
    if shown.authorities.isRotating || !ends.hasDevices, nowSeconds >= nextCountSeconds {
      countDevices(nowSeconds: nowSeconds)
    }
    if nowSeconds >= nextProviderSeconds { showEnds(nowSeconds: nowSeconds) }
    let seen = shown.files.map(FileSystem.stamp(of:))
    guard seen != stamps || nowSeconds >= nextCheckSeconds else { return nil }
    return reload(configuration, nowSeconds: nowSeconds)
  }

  /// Returns the time in seconds since 1970, according to the expiry clock.
  private func readClock() -> Int64 {
    let (nanoseconds, unixMilliseconds) = clocks()
    _ = clock.compare(nanoseconds: nanoseconds, unixMilliseconds: unixMilliseconds)
    let now =
      clock.expiry(nanoseconds: nanoseconds, unixMilliseconds: unixMilliseconds) / 1_000
    // If the clock was set back, check everything again; otherwise the next checks wouldn't be due for a long time.
    if now < lastSeconds {
      (nextCheckSeconds, nextWarningSeconds, nextCountSeconds, nextProviderSeconds) = (0, 0, 0, 0)
    }
    lastSeconds = now
    return now
  }

  /// Reloads and renews the listeners' certificates.
  ///
  /// Returns the new certificates, or nil if they haven't changed. If they can't be read, the listeners keep their
  /// current ones.
  func reload(_ configuration: GatewayConfiguration) -> ListenerSecurity? {
    reload(configuration, nowSeconds: readClock())
  }

  private func reload(
    _ configuration: GatewayConfiguration, nowSeconds: Int64
  ) -> ListenerSecurity? {
    nextCheckSeconds = nowSeconds + Limits.certificateCheckSeconds
    // Read the stamps before the files, so that the next check detects a change made between the two reads.
    let seen = shown.files.map(FileSystem.stamp(of:))
    do {
      return try follow(configuration, nowSeconds: nowSeconds)
    } catch {
      log.error(
        "cannot use the server's certificates: new connections get the previous ones",
        ["why": "\(error)"])
      ends.setLoadFailure("\(error)")
      metrics.certificatesUnusable.set(1)
      stamps = seen
      report(nowSeconds: nowSeconds)
      return nil
    }
  }

  /// Loads and renews the listeners' certificates for this configuration.
  ///
  /// Returns the new certificates, or nil if they haven't changed. If they can't be read, throws without changing
  /// anything.
  func follow(_ configuration: GatewayConfiguration) throws -> ListenerSecurity? {
    try follow(configuration, nowSeconds: readClock())
  }

  private func follow(
    _ configuration: GatewayConfiguration, nowSeconds: Int64
  ) throws -> ListenerSecurity? {
    // Read the stamps before the files, so that the next check detects a change made between the two reads.
    let files = configuration.serverCertificate.map { [$0.chainFile, $0.keyFile] } ?? []
    let seen = files.map(FileSystem.stamp(of:))
    let loaded = try source.load(configuration, after: shown, nowSeconds: nowSeconds)
    let isChanged = loaded.chains != shown.chains
    if isChanged {
      // Report the new certificates immediately, even if a warning about the previous ones was logged today.
      nextWarningSeconds = 0
      log.info(
        "reloaded the server's certificates",
        ["server": Self.time(loaded.ends.map(\.notAfter).min() ?? 0)])
    }
    if ends.setLoadFailure(nil) { log.info("the server's certificates can be used again") }
    metrics.certificatesUnusable.set(0)
    shown = loaded
    stamps = seen
    assert(shown.files == files, "the loaded files are the watched files")
    report(nowSeconds: nowSeconds)
    return isChanged ? loaded.security : nil
  }

  /// Updates the expirations of the listeners' and the providers' certificates.
  ///
  /// This method reads the providers' certificates from the store, because nothing notifies the watcher when one is
  /// added or revoked.
  private func showEnds(nowSeconds: Int64) {
    nextProviderSeconds = nowSeconds + Limits.providerCertificateCheckSeconds
    var list = shown.ends
    let trust = AuthorityTrust(authorities)
    let live = (try? store.certificates())?.filter {
      $0.revokedMilliseconds == nil && $0.notAfter > nowSeconds && trust.includes($0.authority)
    }
    if let first = live?.min(by: { $0.notAfter < $1.notAfter }) {
      list.append(.init(kind: .provider, subject: first.serial, notAfter: first.notAfter))
    }
    assert(
      Set(list.map(\.kind)).count == list.count, "every kind of certificate is listed only once")
    ends.replace(with: list)
    metrics.setEnds(ends.all)
  }

  /// Updates the metric, and logs certificates that expire within a month, or within a year for the authority.
  private func report(nowSeconds: Int64) {
    showEnds(nowSeconds: nowSeconds)
    countDevices(nowSeconds: nowSeconds)
    let list = ends.all
    guard nowSeconds >= nextWarningSeconds else { return }
    nextWarningSeconds = nowSeconds + 86_400
    for end in list where end.notBefore > nowSeconds {
      log.warning(
        "a certificate is not valid yet, and clients refuse it: check the clock of this machine",
        [
          "certificate": end.kind.rawValue, end.subjectField: end.subject,
          "begins": Self.time(end.notBefore),
        ])
    }
    for end in list where end.notAfter - nowSeconds < Self.warningSeconds(end.kind) {
      log.warning(
        end.notAfter > nowSeconds
          ? "a certificate expires within a \(end.kind == .authority ? "year" : "month"): \(end.advice)"
          : "a certificate has expired: \(end.advice)",
        [
          "certificate": end.kind.rawValue, end.subjectField: end.subject,
          "ends": Self.time(end.notAfter),
        ])
    }
  }

  /// Schedules a count of the devices on the writer's thread, because there can be many devices.
  private func countDevices(nowSeconds: Int64) {
    nextCountSeconds = nowSeconds + Limits.rotationCountSeconds
    let (ends, metrics) = (ends, metrics)
    let (isRotating, name) = (authorities.isRotating, authorities.keyName)
    writer.perform { store in
      guard
        let summary = try? store.deviceCertificateSummary(authority: name, atSeconds: nowSeconds)
      else { return }
      ends.replace(devicesEnd: summary.firstEnd, waiting: isRotating ? summary.waiting : nil)
      metrics.setEnds(ends.all)
      metrics.devicesWithoutNewAuthority.set(Int64(isRotating ? summary.waiting : 0))
    }
  }

  private static func warningSeconds(_ kind: CertificateEnd.Kind) -> Int64 {
    kind == .authority ? Limits.authorityWarningSeconds : Limits.certificateWarningSeconds
  }

  private static func time(_ seconds: Int64) -> String {
    Timestamp.rfc3339(unixMilliseconds: seconds * 1_000)
  }
}
