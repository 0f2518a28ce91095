internal import BelfryWire
package import Transport

/// The access control for the console, based on a request's host, origin, and session.
package struct ConsoleAccess: Sendable {
  package let sessions: ConsoleSessions
  package let hosts: HostNames
  /// The name of the session cookie, which includes the port because browsers send a host's cookies to all of its
  /// ports.
  let cookie: String
  /// The instructions on the sign-in page; nil for the general instructions.
  private let instructions: SignInInstructions?

  /// Creates the access control for sessions that begin with `token`.
  ///
  /// `guesses` counts wrong tokens, including the wrong tokens in API requests.
  package init(
    token: String, names: [String], port: UInt16, guesses: TokenAttempts? = nil,
    instructions: SignInInstructions? = nil
  ) {
    self.instructions = instructions
    sessions = ConsoleSessions(token: token, guesses: guesses)
    hosts = HostNames(names)
    cookie = "belfry-console-\(port)"
  }

  /// The header field that proves that a request is from the console's own pages.
  ///
  /// A page from another origin cannot send this field without a preflight request, and the console allows no preflight
  /// requests.
  package static let proofField = "x-belfry-console"

  /// Returns a refusal if the request's host name is not one of this program's own names; otherwise, returns nil.
  package func foreignHost(_ request: HTTP1Request) -> HTTP1Response? {
    guard let host = request.field("host") else {
      return .text("missing Host header\n", status: 400)
    }
    if hosts.contains(host) { return nil }
    let name = HostNames.host(of: host) ?? "this name"
    return .text(
      "unknown host name \(name): start the service with --name \(name)\n", status: 421)
  }

  /// Returns a function that checks whether the session of a request is still open.
  ///
  /// Returns nil if the request has no session or is not from the console's own pages.
  private func openSession(of request: HTTP1Request) -> (@Sendable () -> Bool)? {
    guard foreignHost(request) == nil, isOfOwnPage(request), let secret = secret(of: request)
    else { return nil }
    return { [sessions] in sessions.isOpen(secret) }
  }

  /// Calls `body`, with true if the request has an open session, and returns the response.
  ///
  /// If the response is a stream, the stream ends when the session ends.
  package func answering(
    _ request: HTTP1Request, _ body: (_ hasSession: Bool) -> HTTP1Response
  ) -> HTTP1Response {
    let session = openSession(of: request)
    let hasSession = session?() ?? false
    let response = body(hasSession)
    if hasSession, let session, case .stream(let stream) = response.body {
      stream.end(unless: session)
    }
    return response
  }

  /// Returns true if a request is from the console's own pages, as far as the browser's header fields indicate.
  ///
  /// A request that changes something must have the proof field, which neither forms nor other sites' pages can send.
  package func isOfOwnPage(_ request: HTTP1Request) -> Bool {
    if let site = request.field("sec-fetch-site"), site != "same-origin" { return false }
    if let origin = request.field("origin") {
      guard let host = request.field("host")?.lowercased(),
        ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
      else { return false }
    }
    if request.method == "GET" || request.method == "HEAD" { return true }
    return request.field(Self.proofField) == "1"
  }

  // MARK: The session

  /// Answers `/console/session`: GET returns whether a session is open, POST opens one with the token, and DELETE ends
  /// it.
  package func session(_ request: HTTP1Request) -> HTTP1Response {
    guard isOfOwnPage(request) else {
      return .failure(
        "cross-site request blocked", "open the console directly", status: 403)
    }
    switch request.method {
    case "GET":
      let isOpen = secret(of: request).map(sessions.isOpen) ?? false
      var line: JSONObject = ["open": .bool(isOpen)]
      if let instructions {
        line["command"] = instructions.command.map { .string($0) }
        line["tokenFile"] = .string(instructions.tokenFile)
      }
      return .lines([line])
    case "POST": return begin(request)
    case "DELETE":
      if let secret = secret(of: request) { sessions.end(secret) }
      var response = HTTP1Response(status: 204)
      response.fields.append(("set-cookie", "\(attributes(of: "", request)); Max-Age=0"))
      return response
    default:
      return .failure(
        "\(request.method) is not allowed for this path", "use GET, POST or DELETE",
        status: 405)
    }
  }

  private func begin(_ request: HTTP1Request) -> HTTP1Response {
    let body = (try? JSONValue(parsing: request.body))?.objectValue
    let outcome: ConsoleSessions.Outcome
    if let link = body?["link"]?.stringValue {
      outcome = sessions.begin(withLink: link, from: request.peerAddress)
    } else if let token = body?["token"]?.stringValue {
      outcome = sessions.begin(with: token, from: request.peerAddress)
    } else {
      return .failure("'token' is missing", "enter the admin token", status: 400)
    }
    switch outcome {
    case .opened(let secret):
      var response = HTTP1Response.lines([["open": true]])
      response.fields.append(("set-cookie", attributes(of: secret, request)))
      return response
    case .wrongToken:
      return .failure(
        "wrong admin token",
        "paste the contents of the admin-token file", status: 401)
    case .expiredLink:
      return .failure(
        "this link has expired or was already used",
        "run 'belfry console' again, or enter the admin token", status: 401)
    case .tooManyAttempts(let seconds): return .tooManyGuesses(retryAfterSeconds: seconds)
    }
  }

  private func attributes(of secret: String, _ request: HTTP1Request) -> String {
    // An operator can put a TLS proxy in front of this server.
    let isSecure = request.field("x-forwarded-proto")?.lowercased() == "https"
    return "\(cookie)=\(secret); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  private func secret(of request: HTTP1Request) -> String? {
    for field in request.fields where field.name.lowercased() == "cookie" {
      for pair in field.value.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, sides[0].trimmingSpace == cookie else { continue }
        return String(sides[1].trimmingSpace)
      }
    }
    return nil
  }
}

extension Substring {
  fileprivate var trimmingSpace: Substring {
    var text = drop { $0 == " " }
    while text.last == " " { text = text.dropLast() }
    return text
  }
}
