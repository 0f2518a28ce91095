import CMicrohttpd
import Glibc
import Synchronization
import System

/// What libmicrohttpd's threads call.
final class HTTP1Service: Sendable {
  private let maximumBodyBytes: Int
  private let handler: @Sendable (HTTP1Request) -> HTTP1Response
  private let streams = Mutex<(open: [HTTP1BodyStream], isStopping: Bool)>(([], false))

  init(
    maximumBodyBytes: Int, _ handler: @escaping @Sendable (HTTP1Request) -> HTTP1Response
  ) {
    self.maximumBodyBytes = maximumBodyBytes
    self.handler = handler
  }

  /// Ends every long answer, so that no thread waits for one.
  func endStreams() {
    let open = streams.withLock { streams in
      streams.isStopping = true
      return streams.open
    }
    for stream in open { stream.close() }
  }

  fileprivate func opened(_ stream: HTTP1BodyStream) {
    let isStopping = streams.withLock { streams in
      streams.open.append(stream)
      return streams.isStopping
    }
    if isStopping { stream.close() }
  }

  fileprivate func closed(_ stream: HTTP1BodyStream) {
    stream.close()
    streams.withLock { $0.open.removeAll { $0 === stream } }
  }

  // MARK: requests

  /// The request of one connection while it comes in.
  private final class Incoming {
    var body: [UInt8] = []
    var isTooLarge = false
  }

  /// Called for the header, for each piece of the body, and at its end.
  static func access(
    _ user: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadCount: UnsafeMutablePointer<Int>?,
    _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> MHD_Result {
    guard let user = unsafe user, let connection = unsafe connection, let path = unsafe path,
      let method = unsafe method, let state = unsafe state, let uploadCount = unsafe uploadCount
    else { return .NO }
    guard let known = unsafe state.pointee else {
      unsafe state.pointee = Unmanaged.passRetained(Incoming()).toOpaque()
      return .YES
    }
    let service = unsafe Unmanaged<HTTP1Service>.fromOpaque(user).takeUnretainedValue()
    let incoming = unsafe Unmanaged<Incoming>.fromOpaque(known).takeUnretainedValue()
    let count = unsafe uploadCount.pointee
    if count > 0 {
      unsafe uploadCount.pointee = 0
      if incoming.body.count + count > service.maximumBodyBytes {
        incoming.isTooLarge = true
        incoming.body = []
      } else if !incoming.isTooLarge {
        unsafe incoming.body += UnsafeRawBufferPointer(start: upload, count: count)
      }
      return .YES
    }
    return unsafe service.answer(
      connection, method: String(cString: method), path: String(cString: path), incoming)
  }

  static func completed(_ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?) {
    guard let state = unsafe state, let known = unsafe state.pointee else { return }
    unsafe state.pointee = nil
    unsafe Unmanaged<Incoming>.fromOpaque(known).release()
  }

  private func answer(
    _ connection: OpaquePointer, method: String, path: String, _ incoming: Incoming
  ) -> MHD_Result {
    guard !incoming.isTooLarge else {
      return unsafe send(
        HTTP1Response(
          status: 413, contentType: "text/plain",
          body: Array("The body has more than \(maximumBodyBytes) bytes.\n".utf8)), connection)
    }
    let peer = unsafe Socket.peerAddress(belfry_mhd_descriptor(connection))
    let request = unsafe HTTP1Request(
      method: method, path: path, query: Self.values(connection, .GET_ARGUMENT_KIND),
      fields: Self.values(connection, .HEADER_KIND), body: incoming.body,
      peer: peer?.description ?? "")
    return unsafe send(handler(request), connection)
  }

  private static func values(
    _ connection: OpaquePointer, _ kind: MHD_ValueKind
  ) -> [(name: String, value: String)] {
    var values: [(name: String, value: String)] = []
    unsafe withUnsafeMutablePointer(to: &values) { values in
      _ = unsafe MHD_get_connection_values(
        connection, kind,
        { target, _, name, value in
          guard let target = unsafe target, let name = unsafe name else { return .YES }
          let values = unsafe target.assumingMemoryBound(
            to: [(name: String, value: String)].self)
          unsafe values.pointee.append(
            (String(cString: name), value.map { unsafe String(cString: $0) } ?? ""))
          return .YES
        }, values)
    }
    return values
  }

  // MARK: answers

  private func send(_ answer: HTTP1Response, _ connection: OpaquePointer) -> MHD_Result {
    let made: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
      unsafe made = bytes.withUnsafeBytes { bytes in
        unsafe MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
          .RESPMEM_MUST_COPY)
      }
    case .stream(let stream):
      opened(stream)
      let reader = HTTP1StreamReader(
        self, stream, descriptor: unsafe belfry_mhd_descriptor(connection))
      unsafe made = MHD_create_response_from_callback(
        .max, Limits.httpStreamPieceBytes,
        { user, _, target, count in unsafe HTTP1StreamReader.read(user, target, count) },
        Unmanaged.passRetained(reader).toOpaque(), { unsafe HTTP1StreamReader.release($0) })
    }
    guard let response = unsafe made else { return .NO }
    defer { unsafe MHD_destroy_response(response) }
    for field in answer.fields {
      // A name or value with control characters is left out by the library itself.
      _ = unsafe MHD_add_response_header(response, field.name, field.value)
    }
    return unsafe MHD_queue_response(
      connection, UInt32(min(max(answer.status, 200), 599)), response)
  }
}

/// The connection's thread at one end of a long answer.
private final class HTTP1StreamReader {
  private let service: HTTP1Service
  private let stream: HTTP1BodyStream
  private let descriptor: Int32

  init(_ service: HTTP1Service, _ stream: HTTP1BodyStream, descriptor: Int32) {
    self.service = service
    self.stream = stream
    self.descriptor = descriptor
  }

  static func read(
    _ user: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<CChar>?, _ count: Int
  ) -> Int {
    guard let user = unsafe user, let target = unsafe target else { return -2 }
    let reader = unsafe Unmanaged<HTTP1StreamReader>.fromOpaque(user).takeUnretainedValue()
    while true {
      switch reader.stream.next(limit: count) {
      case .bytes(let bytes):
        unsafe UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: bytes)
        return bytes.count
      case .silence:
        if Socket.isAtEnd(reader.descriptor) { return -2 }
      case .end: return -1
      case .broken: return -2
      }
    }
  }

  static func release(_ user: UnsafeMutableRawPointer?) {
    guard let user = unsafe user else { return }
    let reader = unsafe Unmanaged<HTTP1StreamReader>.fromOpaque(user).takeRetainedValue()
    reader.service.closed(reader.stream)
  }
}
