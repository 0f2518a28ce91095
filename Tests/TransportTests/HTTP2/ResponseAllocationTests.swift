import TestSupport
import Testing

@testable import Transport

/// Tests that answer requests in the same way as the gateway's hot path does, and count the allocations.
@Suite struct ResponseAllocationTests {
  /// Answers every request with success and retains nothing.
  private final class Answering: HTTP2RequestHandler {
    var session: NGHTTP2ServerSession?
    var ended = 0
    let id: UnsafeMutableRawBufferPointer
    let name: UnsafeMutableRawBufferPointer

    init() {
      id = .allocate(byteCount: 36, alignment: 8)
      id.initializeMemory(as: UInt8.self, repeating: 0x41)
      name = .allocate(byteCount: 7, alignment: 8)
      name.copyBytes(from: "apns-id".utf8)
    }

    deinit {
      id.deallocate()
      name.deallocate()
    }

    func requestBegan(_ streamID: Int32) {}
    func requestField(
      _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {}
    func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {}
    func requestReset(_ streamID: Int32, errorCode: UInt32) {}

    func requestEnded(_ streamID: Int32) {
      ended += 1
      withUnsafeTemporaryAllocation(of: HTTP2FieldView.self, capacity: 1) { views in
        views.initializeElement(
          at: 0,
          to: HTTP2FieldView(
            name: UnsafeRawBufferPointer(name), value: UnsafeRawBufferPointer(id)))
        session?.respond(
          streamID, status: ended % 2 == 0 ? 200 : 400, fields: UnsafeBufferPointer(views),
          body: ended % 2 == 0 ? nil : UnsafeRawBufferPointer(id))
      }
    }
  }

  @Test
  func `a request and its answer cost nghttp2's allocations and none of ours`() {
    let handler = Answering()
    let session = NGHTTP2ServerSession(settings: HTTP2Settings())
    handler.session = session
    _ = (ServerBench.preface + WireFrame(4).bytes).withUnsafeBytes { session.receive($0, handler) }
    let requests = (0...1_001).map { ServerBench.request(Int32(2 * $0 + 1)) }
    var next = 0
    var sent = 0
    // These are the allocations of nghttp2 1.52: the stream, header fields, HPACK entries, and the answer's fields and
    // frames.
    expectAllocations(atMost: 24, times: 1_000) {
      requests[next].withUnsafeBytes { _ = session.receive($0, handler) }
      session.takeOutput { sent += $0.count }
      session.receive(handler)
      next += 1
    }
    #expect(handler.ended == 1_001)
    #expect(sent > 20_000)
    handler.session = nil
  }

  @Test
  func `our records of streams are used again`() {
    var store = BodyStore()
    store.release(store.acquire())
    let body = [UInt8](repeating: 1, count: 90)
    expectAllocations(atMost: 0) {
      let record = store.acquire()
      _ = body.withUnsafeBytes { store.setBody(record, $0) }
      store.release(record)
    }
  }

  @Test
  func `large bodies that wait are bounded, and give their room back`() {
    var store = BodyStore()
    let body = [UInt8](repeating: 1, count: 6 << 20)
    let records = (0..<3).map { _ in store.acquire() }
    let taken = records.map { record in body.withUnsafeBytes { store.setBody(record, $0) } }
    #expect(taken == [true, true, false])
    store.release(records[0])
    let again = store.acquire()
    #expect(body.withUnsafeBytes { store.setBody(again, $0) })
    store.checkInvariants()
  }

  @Test
  func `an output queue takes its buffers from the pool`() {
    let pool = BufferPool()
    var queue = OutputQueue()
    let bytes = [UInt8](repeating: 1, count: 1_500)
    expectAllocations(atMost: 0) {
      bytes.withUnsafeBytes {
        queue.append($0, pool: pool)
        queue.append($0, pool: pool)
      }
      queue.consume(queue.count, pool: pool)
    }
  }
}
