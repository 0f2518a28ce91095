internal import Console
public import BelfryWire
public import Gateway
public import System
public import Transport

/// The router for HTTP requests to the admin API and its probes.
///
/// `/api/…` requires the admin token; `/metrics`, `/healthz`, and `/readyz` are public.
///
/// The router can be used from any thread.
public struct AdminRouter: Sendable {
  /// The administration, which carries out the administrators' requests.
  let administration: Administration
  /// The checker that verifies the callers' admin tokens and counts wrong ones.
  let guesses: TokenAttempts
  private let metrics: MetricRegistry
  private let condition: GatewayCondition?
  private let isReady: @Sendable () -> Bool
  private let history: MetricHistory?
  /// The status members that don't change while the gateway runs.
  private let description: JSONObject

  /// Creates a router for `administration`.
  ///
  /// `isReady` returns true if every listener accepts connections, and `condition` is the state of the gateway.
  /// `history` contains the earlier metrics, `description` contains additional status members, and `log` reports wrong
  /// tokens.
  public init(
    administration: Administration, token: String, metrics: MetricRegistry,
    condition: GatewayCondition? = nil, history: MetricHistory? = nil,
    description: JSONObject = [:], log: Log = .silent,
    isReady: @escaping @Sendable () -> Bool
  ) {
    self.administration = administration
    guesses = TokenAttempts(token: token, log: log)
    self.metrics = metrics
    self.condition = condition
    self.isReady = isReady
    self.history = history
    self.description = description
  }

  /// Answers a request; returns nil for a path that this router doesn't handle.
  public func answer(_ request: HTTP1Request) -> HTTP1Response? {
    switch request.path {
    case "/metrics": probe(request) { exposition(MetricFormat(accept: request.field("accept"))) }
    case "/healthz": probe(request) { .text("ok\n") }
    case "/readyz": probe(request) { readiness }
    default: request.path.hasPrefix("/api/") ? api(request) : nil
    }
  }

  private func exposition(_ format: MetricFormat) -> HTTP1Response {
    var response = HTTP1Response.text(metrics.exposition(format), type: format.contentType)
    response.fields.append(("vary", "Accept"))
    return response
  }

  private var readiness: HTTP1Response {
    guard isReady() else { return .text("not ready\n", status: 503) }
    if let obstacle = condition?.obstacle { return .text("not ready: \(obstacle)\n", status: 503) }
    let notices = condition?.notices ?? []
    return .text("ready\n" + notices.map { "notice: \($0)\n" }.joined())
  }

  private func probe(_ request: HTTP1Request, _ body: () -> HTTP1Response) -> HTTP1Response {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .failure(
        "\(request.method) is not allowed for this path", "use GET", status: 405)
    }
    return body()
  }

  private func api(_ request: HTTP1Request) -> HTTP1Response {
    refusal(of: request, hasSession: false) ?? allowedAnswer(request)
  }

  /// Returns a refusal if an API request has neither the admin token nor a session (`hasSession`); otherwise, nil.
  func refusal(of request: HTTP1Request, hasSession: Bool) -> HTTP1Response? {
    if hasSession { return nil }
    switch shownToken(request).map({ guesses.check($0, from: request.peerAddress) }) {
    case .right: return nil
    case .tooMany(let seconds): return .tooManyGuesses(retryAfterSeconds: seconds)
    case .wrong, nil: break
    }
    var refusal = HTTP1Response.failure(
      "missing or wrong admin token",
      "send 'authorization: Bearer' with the contents of the gateway's admin-token file",
      status: 401)
    refusal.fields.append(("www-authenticate", "Bearer"))
    return refusal
  }

  /// Returns an answer with the lines from `body` or, if `body` throws, an answer that describes the failure.
  func answering(
    _ body: () throws(AdministrationFailure) -> [JSONObject]
  ) -> HTTP1Response {
    do throws(AdministrationFailure) {
      return .lines(try body())
    } catch {
      return .failure(error)
    }
  }

  /// Answers an API request whose caller is authorized.
  func allowedAnswer(_ request: HTTP1Request) -> HTTP1Response {
    do throws(AdministrationFailure) {
      if request.path == "/api/status", request.method == "GET" { return .lines([status]) }
      if request.path == "/api/history", request.method == "GET", let history {
        return .lines([try history.json(minutes: request.queryValue("minutes"))])
      }
      if request.path == "/api/log", request.method == "GET" {
        return try log(request)
      }
      if request.path == "/api/log/payload", request.method == "GET" {
        return .lines([try administration.payload(of: request.queryValue("id"))])
      }
      let call = AdministrationCall(
        request.method, request.path, query: request.query, body: try Self.object(in: request))
      guard let wanted = try call.request() else {
        return .failure(
          "unknown request: \(request.method) \(request.path)", "see docs/admin-api.md",
          status: 404)
      }
      let (lines, missing) = try administration.answer(to: wanted)
      // Only lists have pages: an invalid page must not hide that a change was made.
      guard request.method == "GET" else { return .lines(lines) }
      // Other lists are in the store, so no node has a part of them.
      guard case .listDevices = wanted else {
        return try list(lines, missing, stopped: [], request)
      }
      return try list(lines, missing, stopped: administration.stoppedNodes, request)
    } catch {
      return .failure(error)
    }
  }

  /// Returns the token in a request; nil if the request has none.
  private func shownToken(_ request: HTTP1Request) -> String? {
    guard let field = request.field("authorization") else { return nil }
    let scheme = "bearer "
    guard field.prefix(scheme.count).lowercased() == scheme else { return nil }
    return String(field.dropFirst(scheme.count))
  }

  static func object(in request: HTTP1Request) throws(AdministrationFailure) -> JSONObject? {
    if request.body.isEmpty { return nil }
    let value: JSONValue
    do throws(JSONFailure) {
      value = try JSONValue(parsing: request.body)
    } catch {
      throw AdministrationFailure(
        .invalid, "the body is not valid JSON (\(error))", do: "send a JSON object")
    }
    guard let object = value.objectValue else {
      throw AdministrationFailure(
        .invalid, "the body is not a JSON object", do: "send a JSON object")
    }
    return object
  }

  /// Returns the lines of the log that match a request.
  private func log(_ request: HTTP1Request) throws(AdministrationFailure) -> HTTP1Response {
    let filter = try DeliveryLogFilter(query: request.query)
    let text = request.queryValue("of")
    if request.queryValue("follow") == "1" {
      return try follow(text, where: filter, asEvents: EventStream.isWanted(by: request))
    }
    let (lines, missing) = try administration.log(of: text, where: filter)
    return try list(lines, missing, stopped: administration.stoppedNodes, request)
  }

  /// Returns the part of a list that a request selects, with the names of the nodes whose data is missing from it,
  /// because they did not answer or have stopped.
  private func list(
    _ lines: [JSONObject], _ missing: [String], stopped: [String], _ request: HTTP1Request
  ) throws(AdministrationFailure) -> HTTP1Response {
    var response = HTTP1Response.lines(try ListPage.lines(of: lines, request))
    response.fields.append((ListPage.totalField, "\(lines.count)"))
    if !missing.isEmpty {
      response.fields.append((ListPage.missingNodesField, missing.joined(separator: " ")))
    }
    if !stopped.isEmpty {
      response.fields.append((ListPage.stoppedNodesField, stopped.joined(separator: " ")))
    }
    return response
  }

  /// Returns the retained lines of the log, followed by each new line as it arrives.
  private func follow(
    _ text: String?, where filter: DeliveryLogFilter, asEvents: Bool
  ) throws(AdministrationFailure) -> HTTP1Response {
    let bytes: @Sendable ([JSONObject]) -> [UInt8] =
      asEvents ? EventStream.bytes : HTTP1Response.bytes
    let stream = HTTP1BodyStream()
    let kept: [JSONObject]
    do throws(AdministrationFailure) {
      kept = try administration.follow(
        text, where: filter, limit: asEvents ? Limits.logLines : .max
      ) { lines in stream.write(bytes(lines)) }
    } catch {
      // Some loops have already added a follower. They remove it when their next write to the finished stream fails.
      stream.finish()
      throw error
    }
    stream.begin(with: bytes(kept))
    let type = asEvents ? EventStream.type : HTTP1Response.linesType
    return HTTP1Response(status: 200, fields: [("content-type", type)], body: .stream(stream))
  }

  /// The gateway's status, which consists of its readiness and all counters and gauges.
  private var status: JSONObject {
    let obstacle = isReady() ? condition?.obstacle : "a listener is not accepting connections"
    let now = SystemClock.unixMilliseconds
    var line: JSONObject = ["ready": .bool(obstacle == nil)]
    line["obstacle"] = obstacle.map { .string($0) }
    line["notices"] = .array((condition?.notices ?? []).map { .string($0) })
    line["environment"] = .string(administration.environmentName)
    let stopped = administration.stoppedNodes
    if !stopped.isEmpty { line["stoppedNodes"] = .array(stopped.map { .string($0) }) }
    line["activeFaults"] = .integer(Int64(administration.activeFaultCount))
    line["at"] = .string(Timestamp.rfc3339(unixMilliseconds: now))
    line.merge(description)
    for (name, value) in StatusReport(metrics, condition, history).members(atMilliseconds: now) {
      line[name] = value
    }
    line["metrics"] = .object(
      JSONObject(metrics.samples().map { ($0.name, .double($0.value)) }))
    return line
  }
}

extension HTTP1Response {
  /// Returns the response that describes a failure of the administration.
  static func failure(_ failure: AdministrationFailure) -> HTTP1Response {
    let status =
      switch failure.kind {
      case .invalid: 400
      case .missing: 404
      case .conflict, .held: 409
      case .busy: 503
      case .broken: 500
      }
    return .failure(failure.what, failure.advice, status: status)
  }
}
