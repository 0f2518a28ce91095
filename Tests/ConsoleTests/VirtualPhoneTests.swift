import Agent
import BelfryWire
import Gateway
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import Console
@testable import GatewayConsole
@testable import Transport

/// Tests of the requests that manage virtual phones, and of a phone's agent and apps without a gateway.
@Suite(.timeLimit(.minutes(60))) struct VirtualPhoneTests {
  private let scratch: ScratchFolder
  private let authority: [UInt8]

  init() throws {
    scratch = try ScratchFolder()
    authority = try CertificateAuthority.forTests().certificatePEM
  }

  /// Returns a phone whose gateway is unreachable.
  private func phone() throws -> VirtualPhone {
    try VirtualPhone(
      number: 1, folder: scratch.file("phone"),
      gateway: AgentConfiguration.Gateway(
        host: "127.0.0.1", port: 9, authorityPEM: authority, enrollmentCode: ""))
  }

  @Test
  func `an app asks on the phone, and the user's answer and settings survive turning it off`()
    async throws
  {
    let first = try phone()
    let events = EventReader(first.events.stream())
    try first.perform(["do": "install", "app": "com.example.one"])
    _ = try await events.first { $0["event"] == "prompt" && $0["app"] == "com.example.one" }
    let asked = try await events.first { $0["prompts"]?.arrayValue?.count == 1 }
    #expect(asked["event"] == "snapshot" && asked["linked"] == false)
    try first.perform(["do": "answer", "app": "com.example.one", "allow": true])
    let allowed = try await events.first { Self.setting("authorization", of: $0) == "authorized" }
    #expect(allowed["prompts"] == .array([]))
    try first.perform([
      "do": "settings", "app": "com.example.one", "name": "sound", "value": "off",
    ])
    _ = try await events.first { Self.setting("sound", of: $0) == "off" }
    try first.perform(["do": "state", "name": "locked", "value": "on"])
    _ = try await events.first {
      $0["state"]?.arrayValue?.first?.objectValue?["locked"] == "on"
    }
    first.turnOff()
    #expect(await events.isAtEnd)
    #expect(throws: AdministrationFailure.self) { try first.perform(["do": "dismiss"]) }

    let second = try phone()
    let later = EventReader(second.events.stream())
    let restored = try await later.first { Self.setting("sound", of: $0) == "off" }
    #expect(Self.setting("authorization", of: restored) == "authorized")
    try second.perform(["do": "remove", "app": "com.example.one"])
    _ = try await later.first { $0["event"] == "snapshot" && $0["apps"] == .array([]) }
    second.turnOff()
  }

  @Test(arguments: [
    #"{}"#, #"{"do":"fly"}"#, #"{"do":"install"}"#, #"{"do":"install","app":"a b"}"#,
    #"{"do":"open","app":"com.example.one","id":"none"}"#,
    #"{"do":"settings","app":"com.example.one","name":"colour","value":"red"}"#,
    #"{"do":"state","name":"locked","value":"perhaps"}"#, #"{"do":"dismiss","id":7}"#,
    #"{"do":"front","else":1}"#,
  ])
  func `a command that a phone cannot perform is refused with the problem and advice`(text: String)
    throws
  {
    let phone = try phone()
    defer { phone.turnOff() }
    let object = try #require(try JSONValue(parsing: text).objectValue)
    #expect {
      try phone.perform(object)
    } throws: { error in
      guard let failure = error as? AdministrationFailure else { return false }
      return !failure.what.isEmpty && !failure.advice.isEmpty && failure.kind != .broken
    }
  }

  @Test
  func `a phone has so many apps and no more`() throws {
    let phone = try phone()
    defer { phone.turnOff() }
    for number in 0..<Limits.appsOfPhone {
      try phone.perform(["do": "install", "app": .string("com.example.app\(number)")])
    }
    #expect(throws: AdministrationFailure.self) {
      try phone.perform(["do": "install", "app": "com.example.more"])
    }
  }

  private static func setting(_ name: String, of event: JSONObject) -> String? {
    event["settings"]?.arrayValue?.first?.objectValue?[name]?.stringValue
  }

  @Test
  func `phones are four, off until they are turned on, and none is a production gateway's`()
    throws
  {
    let folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    try folder.write(authority, "ca.pem")
    let shelf = VirtualPhones(host: "0.0.0.0", port: 9, folder: folder)
    defer { shelf.close() }
    func administration(_ environment: BelfryWire.Environment) throws -> Administration {
      Administration(
        folder: folder, store: try SQLiteControlStore.inMemory(), environment: environment,
        runtime: .init(faults: FaultRegistry(), log: NoLines()) { _ in })
    }
    let sandbox = try administration(.sandbox)
    func answer(_ method: String, _ path: String, _ administration: Administration) throws
      -> String
    {
      let response = try shelf.answer(
        HTTP1Request(method: method, path: "/api/phones" + path), administration)
      guard case .bytes(let bytes) = response.body else { return "stream" }
      return "\(response.status) \(String(decoding: bytes, as: UTF8.self))"
    }
    #expect(try answer("GET", "", sandbox) == "200 ")
    for path in ["/0", "/5", "/x", "/-1"] {
      #expect(throws: AdministrationFailure.self) { try answer("POST", path, sandbox) }
    }
    #expect(throws: AdministrationFailure.self) { try answer("GET", "/1/events", sandbox) }
    #expect(try answer("PUT", "/1", sandbox).hasPrefix("404"))
    let production = try administration(.production)
    #expect(throws: AdministrationFailure.self) { try answer("POST", "", production) }
    #expect(try answer("POST", "", sandbox).contains(#"{"phone":1,"on":true}"#))
    #expect(try answer("GET", "/1/events", sandbox) == "stream")
    #expect(try answer("POST", "/1/off", sandbox).contains(#"{"phone":1,"on":false}"#))
    #expect(try answer("DELETE", "/1", sandbox) == "200 ")
    #expect(try answer("GET", "", sandbox) == "200 ")
  }
}

extension VirtualPhone {
  /// Performs the command in an object from a page.
  fileprivate func perform(_ object: JSONObject) throws {
    try perform(PhoneCommand(object))
  }
}

/// Tests of the metrics that the console plots.
@Suite struct MetricHistoryTests {
  @Test
  func `an hour is kept, each metric a list, with gaps where it was not there`() throws {
    let metrics = MetricRegistry()
    let accepted = metrics.counter("belfry_pushes_accepted_total", help: "")
    metrics.counter("belfry_other_total", help: "").add()
    let history = MetricHistory(of: metrics)
    for index in 0...Limits.samples {
      accepted.add(2)
      if index == Limits.samples {
        metrics.gauge("belfry_device_connections", help: "").set(7)
      }
      history.take(waiting: index == 5 ? nil : index, atMilliseconds: Int64(index) * 10_000)
    }
    #expect(history.waiting == Limits.samples)
    let at = try #require(history.json["at"]?.arrayValue)
    #expect(at.count == Limits.samples && at.first == 10_000)
    let series = try #require(history.json["series"]?.objectValue)
    #expect(
      series.keys == ["belfry_device_connections", "belfry_pushes_accepted_total", "waiting"])
    #expect(series["belfry_pushes_accepted_total"]?.arrayValue?.first?.doubleValue == 4)
    let devices = try #require(series["belfry_device_connections"]?.arrayValue)
    #expect(devices.first == .null && devices.last?.doubleValue == 7)
    #expect(series["waiting"]?.arrayValue?[4] == .null)
  }
}

/// A reader of a stream's events, which it receives in the same way as a page does.
private final class EventReader: Sendable {
  private let stream: HTTP1BodyStream
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let read = Mutex<(events: [JSONObject], rest: [UInt8], isLast: Bool)>(([], [], false))

  init(_ stream: HTTP1BodyStream) {
    self.stream = stream
    (signals, signal) = AsyncStream.makeStream(of: Void.self)
    stream.onChange { [signal] in signal.yield() }
    signal.yield()
  }

  /// Returns the next matching event; only the test's own time limit bounds the wait.
  func first(where matches: (JSONObject) -> Bool) async throws -> JSONObject {
    for await _ in signals {
      take()
      while let event = read.withLock({ $0.events.isEmpty ? nil : $0.events.removeFirst() }) {
        if matches(event) {
          // Leave the remaining events for the next call.
          signal.yield()
          return event
        }
      }
    }
    throw CancellationError()
  }

  /// True if the stream has been finished.
  var isAtEnd: Bool {
    get async {
      take()
      return read.withLock { $0.isLast }
    }
  }

  private func take() {
    let piece = stream.next()
    read.withLock { read in
      read.isLast = read.isLast || piece.isLast
      read.rest += piece.bytes
      while let end = read.rest.firstRange(of: [0x0A, 0x0A]) {
        let line = Array(read.rest[..<end.lowerBound].dropFirst("data: ".utf8.count))
        read.rest.removeFirst(end.upperBound)
        if let event = (try? JSONValue(parsing: line))?.objectValue { read.events.append(event) }
      }
    }
  }
}

private struct NoLines: DeliveryLogSource {
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine] { [] }
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine] { [] }
}
