internal import Console
internal import BelfryWire
internal import Synchronization
internal import Transport

/// The events of a virtual phone, for the pages that show it.
///
/// The methods can be called on any thread.
final class PhoneEvents: Sendable {
  private struct State {
    /// The phone's current state.
    var snapshot = JSONObject()
    /// The latest events, for pages that are opened later.
    var recent: [JSONObject] = []
    var streams: [HTTP1BodyStream] = []
    var isEnded = false
  }

  private let state = Mutex(State())

  /// Sends an event to the pages, and retains it for pages that are opened later.
  func post(_ event: JSONObject) {
    state.withLock { state in
      state.recent.append(event)
      if state.recent.count > Limits.phoneEvents { state.recent.removeFirst() }
      Self.write(event, to: &state.streams)
    }
  }

  /// Sends the phone's current state.
  func show(_ snapshot: JSONObject) {
    state.withLock { state in
      state.snapshot = snapshot
      Self.write(snapshot, to: &state.streams)
    }
  }

  /// The latest snapshot of the phone's state.
  var snapshot: JSONObject { state.withLock { $0.snapshot } }

  /// Begins a stream with the recent events, the current state, and every later event.
  func stream() -> HTTP1BodyStream {
    let stream = HTTP1BodyStream()
    state.withLock { state in
      let past: JSONObject = [
        "event": "past", "events": .array(state.recent.map(JSONValue.object)),
      ]
      stream.write(EventStream.bytes(of: [past, state.snapshot]))
      if state.isEnded { return stream.finish() }
      state.streams.append(stream)
      assert(
        state.recent.count <= Limits.phoneEvents, "the number of recent events is within its limit")
    }
    return stream
  }

  /// Closes the streams, because the phone is off.
  func end() {
    state.withLock { state in
      state.isEnded = true
      for stream in state.streams { stream.finish() }
      state.streams = []
    }
  }

  private static func write(_ event: JSONObject, to streams: inout [HTTP1BodyStream]) {
    let bytes = EventStream.bytes(of: [event])
    // Streams to pages that were closed no longer accept bytes.
    streams.removeAll { !$0.write(bytes) }
  }
}
