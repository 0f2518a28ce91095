import BelfryWire
import Gateway
import Glibc
import System

/// A client for the admin API.
///
/// The client sends a single HTTP/1.0 request per connection, so the end of the connection marks the end of the
/// response.
struct AdminClient {
  let address: SocketAddress
  let token: String
  /// The ID of the user who owns the service.
  let owner: UInt32
  /// True if the service must be on this machine.
  private let isLocal: Bool
  /// A function that is called with the names of the cluster's nodes whose data is missing from a response, and with
  /// the call.
  var onMissingNodes: (_ nodes: String, AdministrationCall) throws -> Void = { nodes, call in
    Output.error(
      call.path.hasPrefix("/api/devices")  // text: our own path
        ? "devices that are connected to these nodes are listed as not connected, because the nodes did not answer: "
          + nodes
        : "the lines of these nodes are missing, because the nodes did not answer: \(nodes)",
      do: "see 'belfry node list'")
  }
  /// A function that is called with the names of the cluster's nodes that have stopped, so that a response lacks their
  /// data, and with the call.
  var onStoppedNodes: (_ nodes: String, AdministrationCall) -> Void = { nodes, call in
    Output.error(
      call.path.hasPrefix("/api/devices")  // text: our own path
        ? "the times at which devices were last connected to these nodes are missing, because the nodes are not running: "
          + nodes
        : "the lines of these nodes are missing, because the nodes are not running: \(nodes)",
      do: "start the nodes again, or see 'belfry node list'")
  }

  /// Creates a client for the service at `address`, with the token from its file.
  ///
  /// `isLocal` is false if the user specified the token for this exact address.
  init(address: SocketAddress, tokenFile: String, isLocal: Bool = true) throws {
    self.address = address
    self.isLocal = isLocal
    let file = try FileSystem.readOwned(tokenFile, limit: Self.tokenBytesMax)
    token = String(decoding: file.bytes, as: UTF8.self).filter { !$0.isWhitespace }
    owner = file.owner
  }

  private static let tokenBytesMax = 65_536

  /// Sends a request and returns the lines of the response, or nil if nothing is listening at the address.
  func perform(_ request: AdministrationRequest) throws -> [JSONObject]? {
    var lines: [JSONObject] = []
    guard try exchange(request.call, { lines.append($0) }) else { return nil }
    return lines
  }

  /// Sends a call and returns the lines of the response, or nil if nothing is listening at the address.
  func perform(_ call: AdministrationCall) throws -> [JSONObject]? {
    var lines: [JSONObject] = []
    guard try exchange(call, { lines.append($0) }) else { return nil }
    return lines
  }

  /// Sends a request and passes on each line as it arrives.
  ///
  /// Returns false if nothing is listening at the address.
  func follow(
    _ request: AdministrationRequest, _ receive: (JSONObject) -> Void
  ) throws -> Bool {
    var call = request.call
    call.query.append(("follow", "1"))
    return try exchange(call, receive)
  }

  /// Sends a request and passes on each line of the response as it arrives.
  ///
  /// Returns false if nothing is listening at the address.
  func read(
    _ request: AdministrationRequest, _ receive: (JSONObject) -> Void
  ) throws -> Bool {
    try exchange(request.call, receive)
  }

  /// Returns the gateway's status, or nil if nothing is listening at the address.
  func status() throws -> JSONObject? {
    var lines: [JSONObject] = []
    guard try exchange(AdministrationCall("GET", "/api/status"), { lines.append($0) }) else {
      return nil
    }
    return lines.first
  }

  /// The time limit, in milliseconds, for connecting; the address is on this machine.
  private static let connectMilliseconds: Int32 = 5_000
  /// The time limit, in milliseconds, for a request that only reads data.
  private static let readMilliseconds: Int32 = 10_000
  /// The time limit, in milliseconds, for a request that makes changes.
  ///
  /// A busy machine takes a long time to generate an RSA key, and a revocation waits until the lease of a dead node of
  /// the cluster has ended.
  private static let changeMilliseconds: Int32 = 100_000
  /// The time, in milliseconds, after which a command that makes changes says that it is still waiting.
  private static let noteMilliseconds: Int32 = 5_000

  /// Throws if another user's process is listening on the port, because it would receive the token.
  ///
  /// This can happen if the service isn't running and another user has taken its port.
  private func requireOwner(_ descriptor: Int32) throws {
    let owners = ListenerOwners.userIDs(at: address, from: Socket.localAddress(descriptor))
    // In a container network, this machine's tables might lack a listener at a loopback address. At any other address,
    // a missing listener means that the address might belong to another machine.
    guard !isLocal || !owners.isEmpty || address.isLoopback else {
      throw AdministrationFailure(
        .conflict,
        "no program on this machine is listening on \(address): the admin token was not sent there",
        do: "start the service, or check which machine has this address with 'ip address'")
    }
    let strangers = owners.subtracting([0, geteuid(), owner])
    guard let stranger = strangers.min() else { return }
    throw AdministrationFailure(
      .conflict,
      "the listener at \(address) belongs to user \(stranger), but the service's files belong to user \(owner): "
        + "the admin token was not sent there",
      do: "find the process with 'ss -ltnp'; the service is not running, or uses another port now")
  }

  private func exchange(
    _ call: AdministrationCall, _ receive: (JSONObject) -> Void
  ) throws -> Bool {
    var answer = AdminAnswer()
    let isOpen = try exchange(
      Self.text(of: call, to: address, token: token),
      milliseconds: call.method == "GET" ? Self.readMilliseconds : Self.changeMilliseconds,
      notesWait: call.method != "GET",
      isFollowing: call.query.contains { $0.name == "follow" }
    ) { bytes in
      for line in try answer.append(bytes) { receive(line) }
    }
    if isOpen { try answer.end() }
    if let nodes = answer.missingNodes { try onMissingNodes(nodes, call) }
    if let nodes = answer.stoppedNodes { onStoppedNodes(nodes, call) }
    return isOpen
  }

  /// Sends the bytes of a request and passes on the bytes of the response.
  ///
  /// Returns false if nothing is listening at the address.
  func exchange(
    _ request: [UInt8], milliseconds: Int32 = changeMilliseconds, notesWait: Bool = false,
    isFollowing: Bool = false, _ receive: (ArraySlice<UInt8>) throws -> Void
  ) throws -> Bool {
    guard let descriptor = try connect() else { return false }
    defer { Socket.close(descriptor) }
    try requireOwner(descriptor)
    try write(request, to: descriptor)
    if notesWait { noteWait(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      try wait(
        descriptor, for: POLLIN, milliseconds: isFollowing ? -1 : milliseconds)
      let transfer = unsafe buffer.withUnsafeMutableBytes {
        unsafe Socket.read(descriptor, into: $0)
      }
      switch transfer {
      case .bytes(0): return true
      case .bytes(let count): try receive(buffer[..<count])
      case .wouldBlock:
        continue
      case .failed(let number):
        throw SystemFailure.call(name: "recv", errno: number, subject: address.description)
      }
    }
  }

  /// Prints a note if the response does not begin soon, so that the command does not seem to hang.
  private func noteWait(_ descriptor: Int32) {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wanted, 1, Self.noteMilliseconds) == 0 else { return }
    Output.error(
      "still waiting for the response",
      do:
        "in a cluster, a revocation waits until the lease of each dead node has ended, for up to 80 seconds"
    )
  }

  private func connect() throws -> Int32? {
    let descriptor = try Socket.connect(to: address)
    do {
      try wait(descriptor, for: POLLOUT, milliseconds: Self.connectMilliseconds)
    } catch {
      Socket.close(descriptor)
      throw error
    }
    let code = Socket.pendingError(descriptor)
    if code == 0 { return descriptor }
    Socket.close(descriptor)
    if code == ECONNREFUSED { return nil }
    throw SystemFailure.call(name: "connect", errno: code, subject: address.description)
  }

  private func wait(_ descriptor: Int32, for events: Int32, milliseconds: Int32) throws {
    var wanted = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let count = unsafe poll(&wanted, 1, milliseconds)
      if count > 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count == 0 else {
        throw SystemFailure.call(name: "poll", errno: errno, subject: address.description)
      }
      throw AdministrationFailure(
        .broken, "no data from \(address) for \(milliseconds / 1_000) s",
        do:
          "the service is hanging, or the machine is very busy: check the service's log, or restart the service"
      )
    }
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch unsafe rest.withUnsafeBytes({ unsafe Socket.write(descriptor, $0) }) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock:
        try wait(descriptor, for: POLLOUT, milliseconds: Self.connectMilliseconds)
      case .failed(let number):
        throw SystemFailure.call(name: "send", errno: number, subject: address.description)
      }
    }
  }

  /// Returns the bytes of the HTTP request for a call.
  static func text(
    of call: AdministrationCall, to address: SocketAddress, token: String
  ) -> [UInt8] {
    var target = call.path.split(separator: "/").map { "/" + escaped(String($0)) }.joined()
    for (index, pair) in call.query.enumerated() {
      target += "\(index == 0 ? "?" : "&")\(escaped(pair.name))=\(escaped(pair.value))"
    }
    let body = call.body?.bytes ?? []
    let head = [
      "\(call.method) \(target) HTTP/1.0", "host: \(address)", "authorization: Bearer \(token)",
      "content-type: application/json", "content-length: \(body.count)", "", "",
    ]
    return Array(head.joined(separator: "\r\n").utf8) + body
  }

  /// Returns the text in percent-encoded form, in which only the unreserved characters of RFC 3986 are unchanged.
  static func escaped(_ text: String) -> String {
    var escaped: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: escaped.append(byte)
      default: escaped += "%\(Hexadecimal.encode([byte]).uppercased())".utf8
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

/// An incremental parser for a response: a status, header fields, and one JSON object per line.
struct AdminAnswer {
  /// The names of the cluster's nodes whose lines are missing; nil if the response is complete.
  private(set) var missingNodes: String?
  /// The names of the cluster's nodes whose lines are missing because they have stopped; nil if no node has stopped.
  private(set) var stoppedNodes: String?
  private var pending: [UInt8] = []
  private var status: Int?
  private var isInBody = false

  /// Adds bytes and returns the objects that are now complete.
  ///
  /// Throws the failure that the gateway reports.
  mutating func append(_ bytes: ArraySlice<UInt8>) throws -> [JSONObject] {
    pending += bytes
    var objects: [JSONObject] = []
    while let end = pending.firstIndex(of: 0x0A) {
      let line = Array(pending[..<end])
      pending.removeSubrange(...end)
      if let object = try parse(line: line) { objects.append(object) }
    }
    return objects
  }

  /// Handles the end of the connection.
  ///
  /// Throws if the response is incomplete.
  func end() throws {
    guard isInBody, pending.isEmpty else {
      throw AdministrationFailure(
        .broken, "the gateway's response is incomplete", do: "check the gateway's log")
    }
  }

  private mutating func parse(line: [UInt8]) throws -> JSONObject? {
    guard isInBody else {
      let text = String(decoding: line, as: UTF8.self)
      if status == nil { status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
      if let nodes = Self.names(in: text, field: "belfry-missing-nodes:") { missingNodes = nodes }
      if let nodes = Self.names(in: text, field: "belfry-stopped-nodes:") { stoppedNodes = nodes }
      if line.isEmpty || line == [0x0D] { isInBody = true }
      return nil
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: line)
    } catch {
      throw AdministrationFailure(
        .broken, "the program at the console's address does not respond like a gateway",
        do: "find it with 'ss -ltnp'; the gateway is not running, or uses another port now")
    }
    guard let object = value.objectValue else { return nil }
    guard status == 200 else { throw failure(object) }
    return object
  }

  /// Returns the names in a line of the head if it is the given field; otherwise, nil.
  private static func names(in line: String, field: String) -> String? {
    guard line.lowercased().hasPrefix(field) else { return nil }
    return line.dropFirst(field.count).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }

  private func failure(_ object: JSONObject) -> AdministrationFailure {
    let kind: AdministrationFailure.Kind =
      switch status {
      case 400: .invalid
      case 404: .missing
      case 409: .conflict
      case 503: .busy
      default: .broken
      }
    return AdministrationFailure(
      kind, object["error"]?.stringValue ?? "the gateway responded with status \(status ?? 0)",
      do: object["advice"]?.stringValue ?? "check the gateway's log")
  }
}
