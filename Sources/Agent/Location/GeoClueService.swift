package import Scheduling
package import System

/// A source that reports the device's location from GeoClue while the location is needed.
///
/// GeoClue asks an agent of the same user which apps may use the location, and refuses all apps if no agent is
/// registered. On a desktop, the desktop provides the agent; elsewhere, this class registers itself as the agent.
/// Belfry itself decides which of its apps can access the location.
package final class GeoClueService: LocationSource, TimerTarget {
  private enum Name {
    static let service = "org.freedesktop.GeoClue2"
    static let manager = "org.freedesktop.GeoClue2.Manager"
    static let managerPath = "/org/freedesktop/GeoClue2/Manager"
    static let client = "org.freedesktop.GeoClue2.Client"
    static let location = "org.freedesktop.GeoClue2.Location"
    static let agent = "org.freedesktop.GeoClue2.Agent"
    static let agentPath = "/org/freedesktop/GeoClue2/Agent"
    static let properties = "org.freedesktop.DBus.Properties"
  }

  /// The name by which GeoClue knows this program, both as an application and as an agent.
  static let desktopID = "belfry"

  private let bus: BusConnection
  private let loop: EventLoop
  private let log: Log
  private let report: (Place?) -> Void
  private var isNeeded = false
  private var isOffered = false
  private var isClosed = false
  /// The unique bus name of the running GeoClue.
  private var owner = ""
  private var client: String?
  /// A number that distinguishes answers to the current attempt from answers to an abandoned attempt.
  private var attempt: UInt64 = 0
  private var retry: TimerID?
  /// True if GeoClue denied access and a retry is due.
  var isWaiting: Bool { retry != nil }
  /// True if GeoClue has reported a location since the location was last needed.
  private(set) var isReporting = false {
    didSet { if oldValue, !isReporting { report(nil) } }
  }

  /// Creates a service that calls `report` on the loop with each location, and with nil when no more locations are
  /// expected.
  package init(
    bus: BusConnection, on loop: EventLoop, log: Log, report: @escaping (Place?) -> Void
  ) throws(BusFailure) {
    self.bus = bus
    self.loop = loop
    self.log = log
    self.report = report
    try bus.followOwner(of: Name.service, asksNow: false) { [weak self] in
      self?.ownerChanged($0)
    }
    try bus.match(
      "type='signal',interface='\(Name.client)',member='LocationUpdated'"
    ) { [weak self] message in
      guard let self, message.member == "LocationUpdated", message.sender == self.owner,
        message.path == self.client, let values = try? message.read(), values.count == 2,
        let path = values[1].stringValue
      else { return }
      self.readPlace(path)
    }
  }

  package func set(isNeeded: Bool) {
    guard isNeeded != self.isNeeded, !isClosed else { return }
    self.isNeeded = isNeeded
    if isNeeded { start() } else { stop() }
  }

  package func close() {
    if isNeeded { stop() }
    isNeeded = false
    isClosed = true
  }

  // MARK: Starting

  private func start() {
    offerAgent()
    attempt += 1
    let attempt = attempt
    // Only this call may start GeoClue, so look up the name's owner after the call is answered.
    bus.call(
      Name.service, Name.managerPath, Name.manager, "AddAgent", [.string(Self.desktopID)],
      mayStart: true
    ) { [weak self] result in
      guard let self, self.attempt == attempt else { return }
      if case .failure(let failure) = result {
        // Continue after a rejection, because the desktop's own agent might serve the same purpose.
        self.log.debug("GeoClue rejected this agent", ["why": "\(failure)"])
      }
      self.findOwner(attempt)
    }
  }

  private func findOwner(_ attempt: UInt64) {
    bus.findOwner(of: Name.service) { [weak self] result in
      guard let self, self.attempt == attempt else { return }
      guard case .success(let owner) = result else {
        return self.failed("GeoClue is not running", result)
      }
      self.owner = owner
      self.makeClient(attempt)
    }
  }

  private func makeClient(_ attempt: UInt64) {
    bus.call(Name.service, Name.managerPath, Name.manager, "GetClient") { [weak self] result in
      guard let self, self.attempt == attempt else { return }
      guard case .success(let values) = result, let path = values.first?.stringValue else {
        return self.failed("GeoClue denied access: it may lack an agent", result)
      }
      self.client = path
      self.configure(path, attempt)
    }
  }

  private func configure(_ path: String, _ attempt: UInt64) {
    for (property, value) in [
      ("DesktopId", BusValue.string(Self.desktopID)), ("RequestedAccuracyLevel", .uint32(8)),
      ("DistanceThreshold", .uint32(Limits.placeThresholdMetres)),
    ] {
      bus.call(
        Name.service, path, Name.properties, "Set",
        [.string(Name.client), .string(property), .variant(value)]
      ) { [weak self] result in
        if case .failure(let failure) = result {
          self?.log.debug("GeoClue rejected a setting", ["name": property, "why": "\(failure)"])
        }
      }
    }
    bus.call(Name.service, path, Name.client, "Start") { [weak self] result in
      guard let self, self.attempt == attempt, case .failure = result else { return }
      self.failed("GeoClue does not start", result)
    }
  }

  private func failed<Answer>(_ what: String, _ result: Result<Answer, BusFailure>) {
    var why = ""
    if case .failure(let failure) = result { why = "\(failure)" }
    log.info("\(what): set the location with 'belfry location set'", ["why": why])
    attempt += 1
    client = nil
    isReporting = false
    retry = loop.schedule(
      afterNanoseconds: Limits.locationRetryNanoseconds,
      slackNanoseconds: Limits.locationRetryNanoseconds, self, tag: 0)
  }

  package func timerFired(tag: UInt64) {
    retry = nil
    if isNeeded, client == nil { start() }
  }

  private func stop() {
    attempt += 1
    isReporting = false
    if let retry { loop.cancel(retry) }
    retry = nil
    guard let path = client else { return }
    client = nil
    bus.call(Name.service, path, Name.client, "Stop") { _ in }
    bus.call(Name.service, Name.managerPath, Name.manager, "DeleteClient", [.path(path)]) { _ in }
  }

  private func ownerChanged(_ newOwner: String) {
    guard newOwner != owner else { return }
    owner = newOwner
    // The clients of a previous GeoClue process no longer exist. If a new process is running, start without waiting for
    // the next retry.
    guard client != nil || (retry != nil && !newOwner.isEmpty) else { return }
    if let retry { loop.cancel(retry) }
    retry = nil
    attempt += 1
    client = nil
    isReporting = false
    if isNeeded { start() }
  }

  // MARK: Locations

  private func readPlace(_ path: String) {
    let attempt = attempt
    bus.call(
      Name.service, path, Name.properties, "GetAll", [.string(Name.location)]
    ) { [weak self] result in
      guard let self, self.attempt == attempt, case .success(let values) = result,
        let fields = values.first, let latitude = fields["Latitude"]?.doubleValue,
        let longitude = fields["Longitude"]?.doubleValue,
        let place = Place(
          latitude: latitude, longitude: longitude,
          certainty: .measured(metres: fields["Accuracy"]?.doubleValue))
      else { return }
      self.isReporting = true
      self.report(place)
    }
  }

  // MARK: The agent

  /// Exports the object that GeoClue calls to ask the user's agent about applications.
  private func offerAgent() {
    guard !isOffered else { return }
    isOffered = true
    do {
      try bus.export(Name.agentPath) { message in
        let level = BusValue.uint32(8)
        switch (message.interface, message.member) {
        case (Name.properties, "Get"): return .success([.variant(level)])
        case (Name.properties, "GetAll"):
          return .success([.vardict([("MaxAccuracyLevel", level)])])
        case (Name.agent, "AuthorizeApp"):
          // This agent must not decide about applications other than Belfry.
          let isOwn = (try? message.read())?.first?.stringValue == Self.desktopID
          return .success([.bool(isOwn), level])
        default: return nil
        }
      }
    } catch {
      log.debug("GeoClue cannot be offered an agent", ["why": "\(error)"])
    }
  }
}
