import Foundation
import System
import TestSupport
import Testing

@testable import Transport

/// Tests of a small server with widely used HTTP/2 tools.
@Suite(.serialized) struct HTTP2ToolTests {
  /// One HTTP/2 connection over a stream.
  private final class Connection: StreamHandler, HTTP2RequestHandler {
    private let session: any HTTP2ServerSession
    private var hasAnswered = false

    init(_ codec: HTTP2Codec) { session = codec.makeServerSession(settings: HTTP2Settings()) }

    func streamOpened(_ stream: ByteStream) { flush(stream) }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
      let status = session.receive(bytes, self)
      flush(stream)
      if status == .closing { stream.close() }
    }

    private func flush(_ stream: ByteStream) {
      session.takeOutput { stream.write($0) }
      session.receive(self)
    }

    func streamDrained(_ stream: ByteStream) {}
    func stream(_ stream: ByteStream, closed reason: StreamClosure) {}

    func requestBegan(_ streamID: Int32) {}
    func requestField(
      _ streamID: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {}
    func requestBody(_ streamID: Int32, bytes: UnsafeRawBufferPointer) {}
    func requestReset(_ streamID: Int32, errorCode: UInt32) {}

    func requestEnded(_ streamID: Int32) {
      // Like the gateway, raise the limit before the answer, because nghttp stops reading after its answer.
      if !hasAnswered { session.allowConcurrentStreams(1_000) }
      hasAnswered = true
      let name = Array("apns-id".utf8)
      let value = Array("eabeae54-14a8-11e5-b60b-1697f925ec7b".utf8)
      name.withUnsafeBytes { name in
        value.withUnsafeBytes { value in
          withUnsafePointer(to: HTTP2FieldView(name: name, value: value)) {
            session.respond(
              streamID, status: 200, fields: UnsafeBufferPointer(start: $0, count: 1), body: nil)
          }
        }
      }
    }
  }

  /// Runs `tool` against a server on a separate thread, and returns its output.
  private func run(
    _ tool: TestTool, _ codec: HTTP2Codec, tls: Bool = true, _ arguments: (UInt16) -> [String]
  ) throws -> String {
    let security = tls ? StreamSecurity.tls(try TestIdentities.serverContext(alpn: ["h2"])) : .plain
    let (thread, port) = try LoopThread.launch(name: "h2-server") { loop throws(SystemFailure) in
      try StreamListener(loop: loop, address: .loopback(port: 0), security: security) { _ in
        Connection(codec)
      }.port
    }
    defer {
      thread.stop()
      thread.join()
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try tool.required())
    process.arguments = arguments(port)
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self)
  }

  @Test(.requires(.h2load), arguments: HTTP2Codec.allCases, [true, false])
  func `h2load's requests are all answered`(codec: HTTP2Codec, tls: Bool) throws {
    let scheme = tls ? "https" : "http"
    let output = try run(.h2load, codec, tls: tls) {
      ["-n", "2000", "-c", "4", "-m", "50", "\(scheme)://127.0.0.1:\($0)/3/device/00"]
    }
    #expect(output.contains("2000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(output)")
  }

  @Test(.requires(.nghttp), arguments: HTTP2Codec.allCases)
  func `nghttp sees Apple's SETTINGS and the answer without DATA`(codec: HTTP2Codec) throws {
    let output = try run(.nghttp, codec) { ["-nv", "https://127.0.0.1:\($0)/3/device/00"] }
    #expect(output.contains("SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1]"), "\(output)")
    #expect(output.contains(":status: 200"))
    #expect(output.contains("SETTINGS_MAX_CONCURRENT_STREAMS(0x03):1000]"))
    #expect(!output.contains("recv DATA"))
  }

  @Test(.requires(.curl), arguments: HTTP2Codec.allCases)
  func `curl is answered over HTTP/2`(codec: HTTP2Codec) throws {
    let output = try run(.curl, codec) {
      [
        "-sk", "--http2", "-d", "{}", "-w", "%{http_version} %{http_code}",
        "https://127.0.0.1:\($0)/3/device/00",
      ]
    }
    #expect(output == "2 200")
  }

  @Test(.requires(.openssl))
  func `openssl's client without ALPN completes its handshake`() throws {
    let output = try run(.openssl, .belfry) {
      ["s_client", "-connect", "127.0.0.1:\($0)", "-brief", "-no_ign_eof"]
    }
    #expect(output.contains("CONNECTION ESTABLISHED"), "\(output)")
    #expect(output.contains("TLSv1.3"))
  }
}
