import PushWire
import Transport

/// A writer that builds responses in one buffer, which the connections of an event loop take turns using.
///
/// `@safe`: the buffer belongs to this object for its entire lifetime, and pointers into it are used only within one
/// call.
@safe final class ResponseWriter {
  private let buffer: UnsafeMutableRawBufferPointer
  private let fields: UnsafeMutableBufferPointer<HTTP2FieldView>
  private var used = 0
  private var fieldCount = 0

  /// The maximum total size, in bytes, of one answer.
  private static let bytesMax = 1_024
  private static let fieldsMax = 8

  init() {
    unsafe buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.bytesMax, alignment: 8)
    unsafe fields = UnsafeMutableBufferPointer<HTTP2FieldView>.allocate(capacity: Self.fieldsMax)
  }

  deinit {
    unsafe buffer.deallocate()
    unsafe fields.deallocate()
  }

  /// Writes a 200 response: one HEADERS frame with END_STREAM (apns-protocol 1.7).
  func accept(
    _ streamID: Int32, idText: [UInt8], id: NotificationID, uniqueID: NotificationID?,
    on session: any HTTP2ServerSession
  ) {
    start()
    appendID(idText, id)
    if let uniqueID {
      let value = unsafe append(uniqueID)
      unsafe field("apns-unique-id", value)
    }
    unsafe session.respond(
      streamID, status: 200, fields: UnsafeBufferPointer(rebasing: fields[..<fieldCount]),
      body: nil)
  }

  /// Writes a response with a reason: a HEADERS frame, then exactly one DATA frame (apns-protocol 1.8).
  func refuse(
    _ streamID: Int32, _ rejection: Rejection, timestampMilliseconds: Int64?,
    idName: StaticString = "apns-id", idText: [UInt8], id: NotificationID,
    retryAfterSeconds: Int64? = nil, on session: any HTTP2ServerSession
  ) {
    start()
    appendID(idText, id, as: idName)
    let usualSeconds = rejection == .serviceUnavailable ? Limits.retryAfterSeconds : nil
    if let seconds = retryAfterSeconds ?? usualSeconds {
      let begin = used
      append(decimal: seconds)
      unsafe field("retry-after", UnsafeRawBufferPointer(rebasing: buffer[begin..<used]))
    }
    let begin = used
    append("{\"reason\":\"")
    append(rejection.row.reason)
    append("\"")
    if let timestampMilliseconds {
      append(",\"timestamp\":")
      append(decimal: timestampMilliseconds)
    }
    append("}")
    let body = unsafe UnsafeRawBufferPointer(rebasing: buffer[begin..<used])
    unsafe session.respond(
      streamID, status: rejection.status,
      fields: UnsafeBufferPointer(rebasing: fields[..<fieldCount]), body: body)
  }

  private func start() {
    used = 0
    fieldCount = 0
  }

  /// Writes a response to a request about channels (apns-protocol 5.1), with the request's ID and any other values.
  func answerChannels(
    _ streamID: Int32, status: Int, idText: [UInt8], id: NotificationID,
    uniqueID: NotificationID? = nil, channel: ChannelID? = nil, body: [UInt8] = [],
    on session: any HTTP2ServerSession
  ) {
    start()
    appendID(idText, id, as: "apns-request-id")
    if let uniqueID {
      let value = unsafe append(uniqueID)
      unsafe field("apns-unique-id", value)
    }
    if let channel {
      let begin = used
      append(Array(channel.text.utf8).span)
      unsafe field(
        "apns-channel-id", UnsafeRawBufferPointer(rebasing: buffer[begin..<used]))
    }
    unsafe body.withUnsafeBytes { body in
      unsafe session.respond(
        streamID, status: status, fields: UnsafeBufferPointer(rebasing: fields[..<fieldCount]),
        body: body.isEmpty ? nil : body)
    }
  }

  /// Writes a response with these fields.
  func answer(
    _ streamID: Int32, status: Int, fields given: [(name: StaticString, value: String)],
    body: [UInt8], on session: any HTTP2ServerSession
  ) {
    start()
    for (name, value) in given {
      let begin = used
      append(Array(value.utf8).span)
      unsafe field(name, UnsafeRawBufferPointer(rebasing: buffer[begin..<used]))
    }
    unsafe body.withUnsafeBytes { body in
      unsafe session.respond(
        streamID, status: status, fields: UnsafeBufferPointer(rebasing: fields[..<fieldCount]),
        body: body.isEmpty ? nil : body)
    }
  }

  private func appendID(
    _ text: [UInt8], _ id: NotificationID, as name: StaticString = "apns-id"
  ) {
    let begin = used
    if text.count == 36 {
      append(text.span)
    } else {
      unsafe _ = append(id)
    }
    unsafe field(name, UnsafeRawBufferPointer(rebasing: buffer[begin..<used]))
  }

  private func field(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    guard fieldCount < Self.fieldsMax else { return }
    let nameBytes = unsafe UnsafeRawBufferPointer(
      start: name.utf8Start, count: name.utf8CodeUnitCount)
    unsafe fields.initializeElement(
      at: fieldCount, to: HTTP2FieldView(name: nameBytes, value: value))
    fieldCount += 1
  }

  private func append(_ byte: UInt8) {
    guard used < Self.bytesMax else { return }
    unsafe buffer[used] = byte
    used += 1
  }

  /// Appends bytes, or nothing if they don't fit.
  private func append(_ bytes: Span<UInt8>) {
    guard bytes.count <= Self.bytesMax - used else { return }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyMemory(from: bytes)
    }
    used += bytes.count
  }

  private func append(_ text: StaticString) {
    // A static string exists for the lifetime of the program.
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    unsafe append(bytes.span)
  }

  private func append(_ id: NotificationID) -> UnsafeRawBufferPointer {
    let begin = used
    guard Self.bytesMax - begin >= NotificationID.textBytes else {
      return unsafe UnsafeRawBufferPointer(rebasing: buffer[begin..<begin])
    }
    var index = begin
    id.forEachTextByte { byte in
      unsafe buffer[index] = byte
      index += 1
    }
    used = index
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[begin..<index])
  }

  private func append(decimal value: Int64) {
    let begin = used
    var rest = value.magnitude
    repeat {
      append(UInt8(truncatingIfNeeded: rest % 10) &+ 0x30)
      rest /= 10
    } while rest > 0
    unsafe buffer[begin..<used].reverse()
  }
}
