import Dispatch
import Foundation
import MessageBus
import Synchronization
import TestSupport

/// The events of a bus, for which tests wait.
final class BusEvents: Sendable {
  /// No matching event was reported in time.
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  private struct State {
    var events: [BusClient.Event] = []
    var checks: [UUID: @Sendable ([BusClient.Event]) -> Bool] = [:]
  }

  private let state = Mutex(State())

  var all: [BusClient.Event] { state.withLock { $0.events } }

  var texts: [String] { all.texts }
  var losses: Int { all.losses }
  var connections: Int { all.connections }
  var reasons: [String] { all.reasons }

  func append(_ event: BusClient.Event) {
    state.withLock { state in
      state.events.append(event)
      for (id, check) in state.checks where check(state.events) { state.checks[id] = nil }
    }
  }

  /// Waits until `isMet` returns true for all events so far.
  func wait(
    for what: String, within limit: Duration = TestTimeout.standard,
    _ isMet: @escaping @Sendable ([BusClient.Event]) -> Bool
  ) async throws {
    let id = UUID()
    let isDone = await withCheckedContinuation { continuation in
      let once = Mutex<CheckedContinuation<Bool, Never>?>(continuation)
      @Sendable func resume(_ isDone: Bool) {
        let waiting = once.withLock { exchange(&$0, with: nil) }
        waiting?.resume(returning: isDone)
      }
      let check: @Sendable ([BusClient.Event]) -> Bool = { events in
        guard isMet(events) else { return false }
        resume(true)
        return true
      }
      state.withLock { state in
        if !check(state.events) { state.checks[id] = check }
      }
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .seconds(Int(limit.components.seconds))
      ) {
        resume(false)
      }
    }
    state.withLock { _ = $0.checks.removeValue(forKey: id) }
    guard isDone else {
      throw Missing(description: "timed out waiting for \(what): \(all.suffix(5))")
    }
  }

  /// Waits until the bus has connected `count` times.
  func connected(_ count: Int = 1) async throws {
    try await wait(for: "connection \(count)") { $0.connections >= count }
  }

  /// Waits until the server has confirmed the subscription to `subject`.
  func subscribed(_ subject: String) async throws {
    try await wait(for: "the subscription to \(subject)") { events in
      events.contains { if case .subscribed(subject) = $0 { true } else { false } }
    }
  }

  /// Waits until the bus has reported a lost connection, and returns the last reason.
  func disconnected(_ count: Int = 1) async throws -> String {
    try await wait(for: "disconnection \(count)") { $0.reasons.count >= count }
    return reasons.last ?? ""
  }

  /// Waits until `count` messages have arrived.
  func messages(_ count: Int) async throws {
    try await wait(for: "\(count) messages") { events in
      events.count >= count && events.count { $0.text != nil } >= count
    }
  }
}

extension BusClient.Event {
  /// The payload of a message as a text; nil for other events.
  var text: String? {
    if case .message(_, let payload) = self {
      String(decoding: payload, as: UTF8.self)
    } else {
      nil
    }
  }
}

extension [BusClient.Event] {
  /// The payloads of the messages as texts.
  var texts: [String] { compactMap(\.text) }
  var losses: Int { count { if case .lost = $0 { true } else { false } } }
  var connections: Int { count { if case .connected = $0 { true } else { false } } }
  var reasons: [String] {
    compactMap { if case .disconnected(let why) = $0 { why } else { nil } }
  }
}

extension BusClient {
  /// Creates a bus whose events are recorded.
  static func recorded(_ options: BusOptions) throws -> (bus: BusClient, events: BusEvents) {
    let events = BusEvents()
    return (try BusClient(options) { events.append($0) }, events)
  }

  /// Creates a bus for a server without TLS.
  static func recorded(_ server: NATSProgram) throws -> (bus: BusClient, events: BusEvents) {
    try recorded(BusOptions(address: BusAddress(server.url)))
  }

  /// Publishes a text, and returns whether the bus accepted it.
  func publish(text: String, to subject: String) -> Bool { publish(Array(text.utf8), to: subject) }
}
