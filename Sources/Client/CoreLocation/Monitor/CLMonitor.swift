import BelfryClient
import Foundation

/// A monitor of conditions, such as whether the device is inside a circle, that reports changes as a sequence of
/// events.
///
/// The agent monitors the regions, as it does for `CLLocationManager`.
public actor CLMonitor {
  /// The name of the monitor, which distinguishes its regions from the regions of other monitors.
  public nonisolated let name: String

  private var records: [String: Record] = [:]
  private var listeners: [UUID: AsyncStream<Event>.Continuation] = [:]
  private let watcher: MonitorWatcher

  /// Creates a monitor with the given name.
  public init(_ name: String) async {
    self.name = name
    watcher = await MonitorWatcher(prefix: "monitor.\(name).")
    await watcher.observe { [weak self] identifier, state in
      guard let self else { return }
      Task { await self.update(identifier, state) }
    }
  }

  /// Starts monitoring a condition.
  ///
  /// The condition replaces a monitored condition with the same identifier.
  public func add(
    _ condition: any CLCondition, identifier: String, assuming state: Event.State = .unknown
  ) async {
    let event = Event(identifier: identifier, refinement: nil, state: state, date: Date())
    records[identifier] = Record(condition: condition, lastEvent: event)
    let isWatched = await watcher.watch(condition, identifier)
    if !isWatched { update(identifier, .unmonitored) }
  }

  /// Stops monitoring the condition with this identifier; does nothing if the identifier is unknown.
  public func remove(_ identifier: String) async {
    guard records.removeValue(forKey: identifier) != nil else { return }
    await watcher.unwatch(identifier)
  }

  /// Returns a condition and its last event; nil if the condition is not monitored.
  public func record(for identifier: String) -> Record? { records[identifier] }

  /// The identifiers of the monitored conditions.
  public var identifiers: [String] { records.keys.sorted() }

  /// The events that occur after this property is read; use the sequence in only one loop.
  public var events: Events {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let id = UUID()
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.removeListener(id) }
    }
    return Events(stream: stream)
  }

  private func removeListener(_ listener: UUID) { listeners[listener] = nil }

  private func update(_ identifier: String, _ state: Event.State) {
    guard var record = records[identifier], record.lastEvent.state != state else { return }
    let event = Event(identifier: identifier, refinement: nil, state: state, date: Date())
    record.lastEvent = event
    records[identifier] = record
    for listener in listeners.values { listener.yield(event) }
  }

  /// An asynchronous sequence of events.
  public struct Events: AsyncSequence, Sendable {
    /// The type of the sequence's elements.
    public typealias Element = Event

    let stream: AsyncStream<Event>

    /// The iterator of the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var events: AsyncStream<Event>.Iterator

      /// Returns the next event, waiting for it if necessary; returns nil if the task is cancelled.
      public mutating func next() async throws -> Event? { await events.next() }
    }

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(events: stream.makeAsyncIterator())
    }
  }
}

/// A wrapper for a monitor's location manager, which is used on the main thread.
@MainActor
final class MonitorWatcher: NSObject, @MainActor CLLocationManagerDelegate {
  private let prefix: String
  private let manager = CLLocationManager()
  private var observer: (@Sendable (String, CLMonitor.Event.State) -> Void)?

  init(prefix: String) {
    self.prefix = prefix
    super.init()
    manager.delegate = self
  }

  func observe(_ observer: @escaping @Sendable (String, CLMonitor.Event.State) -> Void) {
    self.observer = observer
  }

  /// Starts monitoring a condition.
  ///
  /// Returns false if the type of the condition is unknown.
  func watch(_ condition: any CLCondition, _ identifier: String) -> Bool {
    guard let region = region(condition, identifier) else { return false }
    manager.startMonitoring(for: region)
    manager.requestState(for: region)
    return true
  }

  func unwatch(_ identifier: String) {
    for region in manager.monitoredRegions where region.identifier == prefix + identifier {
      manager.stopMonitoring(for: region)
    }
  }

  private func region(_ condition: any CLCondition, _ identifier: String) -> CLRegion? {
    switch condition {
    case let circle as CLMonitor.CircularGeographicCondition:
      CLCircularRegion(
        center: circle.center, radius: circle.radius, identifier: prefix + identifier)
    case let beacons as CLMonitor.BeaconIdentityCondition:
      CLBeaconRegion(
        beaconIdentityConstraint: constraint(beacons), identifier: prefix + identifier)
    default: nil
    }
  }

  private func constraint(
    _ condition: CLMonitor.BeaconIdentityCondition
  ) -> CLBeaconIdentityConstraint {
    guard let major = condition.major else { return .init(uuid: condition.uuid) }
    guard let minor = condition.minor else { return .init(uuid: condition.uuid, major: major) }
    return .init(uuid: condition.uuid, major: major, minor: minor)
  }

  private func report(_ region: CLRegion, _ state: CLMonitor.Event.State) {
    guard region.identifier.hasPrefix(prefix) else { return }
    observer?(String(region.identifier.dropFirst(prefix.count)), state)
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    report(region, .satisfied)
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    report(region, .unsatisfied)
  }

  func locationManager(
    _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
  ) {
    switch state {
    case .inside: report(region, .satisfied)
    case .outside: report(region, .unsatisfied)
    case .unknown: break
    }
  }

  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    if let region { report(region, .unmonitored) }
  }
}
