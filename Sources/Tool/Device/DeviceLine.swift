import BelfryWire
import PushWire
import Glibc

/// The JSON lines of `belfry device run`, written byte by byte because there are thousands of lines per second.
enum DeviceLine {
  /// The custom payload key for the sender's time, in microseconds since 1970, if the sender is on this machine.
  ///
  /// `latencyMicros` uses this value.
  static let sentKey = "belfry-sent-micros"

  private static let sentMark = Array("\"\(sentKey)\":".utf8)

  /// Returns the members that all lines for a device and subject share: `,"device":…,"topic":…,"type":…`.
  static func subject(_ subject: LinkSubject, device: UInt64) -> [UInt8] {
    var line = Array(",\"device\":\(device),\"topic\":".utf8)
    JSONValue.string(subject.bundleID).append(to: &line)
    switch subject {
    case .topic(let topic):
      line += ",\"type\":\"\(topic.kind.name)\"".utf8
    case .channel(let channel):
      line += ",\"channel\":\"\(Base64.encode(channel.identifier, url: false))\"".utf8
    }
    return line
  }

  /// Writes a line for `event`, with the common members and additional members.
  static func event(
    _ event: String, _ subject: [UInt8], _ members: [(String, JSONValue)] = [],
    to output: inout [UInt8]
  ) {
    output += "{\"event\":\"\(event)\"".utf8
    output += subject
    for (name, value) in members {
      output += ",\"\(name)\":".utf8
      value.append(to: &output)
    }
    output += [0x7D, 0x0A]
  }

  /// Writes the line for a notification.
  static func received(
    _ notification: LinkNotification, _ subject: [UInt8], latencyMicros: Int64?,
    to output: inout [UInt8]
  ) {
    output += "{\"event\":\"received\"".utf8
    output += subject
    output += ",\"apnsID\":\"".utf8
    notification.id.forEachTextByte { output.append($0) }
    output += "\",\"uniqueID\":\"".utf8
    notification.uniqueID.forEachTextByte { output.append($0) }
    output += "\",\"payload\":\"".utf8
    output += Base64.encode(notification.payload, url: false).utf8
    output += "\",\"priority\":\(notification.priority),\"stored\":".utf8
    output += (notification.isFromStorage ? "true" : "false").utf8
    if let type = notification.pushType { output += ",\"pushType\":\"\(type.name)\"".utf8 }
    if !notification.collapseID.isEmpty {
      output += ",\"collapseID\":".utf8
      let text = String(decoding: notification.collapseID, as: UTF8.self)
      JSONValue.string(text).append(to: &output)
    }
    if let latencyMicros { output += ",\"latencyMicros\":\(latencyMicros)".utf8 }
    output += [0x7D, 0x0A]
  }

  /// Returns the number of microseconds since the send time in `payload`, or `nil` if `payload` doesn't contain a send
  /// time.
  static func latencyMicros(_ payload: UnsafeRawBufferPointer) -> Int64? {
    let mark = sentMark.span
    let last = payload.count - mark.count
    guard last > 0 else { return nil }
    var start = 0
    while start < last {
      // Test the first byte before comparing the entire key, because most bytes of a payload aren't quotation marks.
      guard unsafe payload[start] == 0x22, unsafe matches(payload, at: start, mark) else {
        start += 1
        continue
      }
      guard let sent = unsafe number(payload, at: start + mark.count) else { return nil }
      return unixMicros - sent
    }
    return nil
  }

  private static func matches(
    _ payload: UnsafeRawBufferPointer, at start: Int, _ mark: Span<UInt8>
  ) -> Bool {
    for index in mark.indices where unsafe payload[start + index] != mark[index] { return false }
    return true
  }

  private static func number(_ payload: UnsafeRawBufferPointer, at start: Int) -> Int64? {
    var index = start
    while index < payload.count, unsafe payload[index] == 0x20 { index += 1 }
    var value: Int64 = 0
    var digits = 0
    while index < payload.count, digits < 18 {
      let digit = unsafe payload[index] &- 0x30
      guard digit < 10 else { break }
      value = value * 10 + Int64(digit)
      digits += 1
      index += 1
    }
    return digits > 0 ? value : nil
  }

  private static var unixMicros: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
