internal import BelfryWire
internal import Storage
public import System
public import Transport

/// A router for HTTP requests from apps and the operator.
///
/// Apps register with their key (`authorization: Bearer KEY`), or without a key if the service is open. All other
/// requests require the admin token instead. Any thread can use the router.
public struct ProviderRouter: Sendable {
  let registry: Registry
  let campaigns: CampaignService
  let apps: AppKeys
  /// The check of admin tokens, which also counts the wrong tokens that clients send, including through the console's
  /// sign-in form.
  public let guesses: TokenAttempts
  private let isOpen: Bool
  let tokensPerApp: Int64
  /// True if the endpoints of Web Push subscriptions can be addresses that are not public.
  let allowsPrivateEndpoints: Bool
  /// The public key of the sender of Web Push messages, with which pages subscribe; nil if it has no key.
  let webPushKey: String?
  let log: Log
  let progress: CampaignProgress

  /// The number of tokens that an app can have unless the operator configures another number: a million, which take up
  /// about 200 MB on disk.
  public static let tokensPerAppDefault: Int64 = 1_000_000

  /// Creates a router.
  ///
  /// Without an admin token, all requests from the operator are refused.
  public init(
    registry: Registry, campaigns: CampaignService, apps: AppKeys, adminToken: String,
    isOpen: Bool, tokensPerApp: Int64 = Self.tokensPerAppDefault,
    allowsPrivateEndpoints: Bool = false, webPushKey: String? = nil, log: Log
  ) {
    self.allowsPrivateEndpoints = allowsPrivateEndpoints
    self.webPushKey = webPushKey

    self.registry = registry
    self.campaigns = campaigns
    self.apps = apps
    guesses = TokenAttempts(token: adminToken, log: log)
    self.isOpen = isOpen
    self.tokensPerApp = tokensPerApp
    self.log = log
    progress = CampaignProgress { [campaigns] id in try campaigns.status(id) }
  }

  /// Answers a request.
  ///
  /// An administrator's request does not need a token.
  public func answer(_ request: HTTP1Request, isAdministrator: Bool = false) -> HTTP1Response {
    do {
      return try response(to: request, isAdministrator)
    } catch let problems as RequestProblems {
      return .refusal(problems.all, status: 400)
    } catch let refusal as Refusal {
      var response = HTTP1Response.refusal([refusal.problem], status: refusal.status)
      if let seconds = refusal.retryAfterSeconds {
        response.fields.append(("retry-after", "\(seconds)"))
      }
      return response
    } catch let failure as CampaignService.Failure {
      return response(to: failure)
    } catch {
      log.error("a request failed", ["path": request.path, "why": "\(error)"])
      let problem = RequestProblem(nil, "\(error)", do: "check the service's log")
      return .refusal([problem], status: 500)
    }
  }

  /// A refusal for a reason other than an invalid field.
  struct Refusal: Error {
    let status: Int
    let problem: RequestProblem
    /// The time, in seconds, after which the client can retry the request; nil if retrying does not help.
    var retryAfterSeconds: Int64?

    init(_ status: Int, _ what: String, do advice: String, field: String? = nil) {
      self.status = status
      problem = RequestProblem(field, what, do: advice)
    }
  }

  private func response(
    to request: HTTP1Request, _ isAdministrator: Bool
  ) throws -> HTTP1Response {
    let path = request.path.split(separator: "/").map(String.init)
    switch (path.first, path.count) {
    case ("healthz", 1):
      try allow(["GET", "HEAD"], request)
      return .plain("ok\n")
    case ("readyz", 1):
      try allow(["GET", "HEAD"], request)
      return readiness
    case ("register", 1):
      try allow(["GET", "POST", "DELETE"], request)
      return try register(
        request, as: isAdministrator ? .administrator : caller(of: request))
    case ("web-push-key", 1):
      try allow(["GET"], request)
      guard let webPushKey else {
        throw Refusal(404, "this service has no VAPID key", do: "start it with --vapid FILE")
      }
      // The key is public: pages contain it.
      return .plain(webPushKey + "\n")
    case ("sent", 1):
      try allow(["GET"], request)
      if !isAdministrator { try requireAdministrator(request) }
      return try sent(request)
    case ("tokens", 1):
      try allow(["GET", "POST"], request)
      if !isAdministrator { try requireAdministrator(request) }
      return request.method == "GET" ? try tokens(request) : try bringTokens(request)
    case ("status", 1):
      try allow(["GET"], request)
      if !isAdministrator { try requireAdministrator(request) }
      return .object(try campaigns.summary())
    case ("campaigns", 1...3):
      if !isAdministrator { try requireAdministrator(request) }
      return try campaign(request, Array(path.dropFirst()))
    default:
      throw Refusal(404, "\(request.path) not found", do: Self.requestsAdvice)
    }
  }

  /// The advice for a request with an unknown path; the console also serves the documents.
  static let requestsAdvice =
    "the requests are listed in docs/provider.md, which is also under Help in the console"

  /// The answer to a readiness probe: 503 with the reason while the registry's disk or database accepts no
  /// writes.
  private var readiness: HTTP1Response {
    if let failure = registry.store.health.failure {
      return .plain("not ready: \(failure)\n", status: 503)
    }
    let notices = registry.store.notices + registry.store.warnings
    return .plain("ok\n" + notices.map { "notice: \($0)\n" }.joined())
  }

  func allow(_ methods: [String], _ request: HTTP1Request) throws(Refusal) {
    guard !methods.contains(request.method) else { return }
    throw Refusal(
      405, "\(request.method) is not allowed for \(request.path)",
      do: "use \(methods.joined(separator: ", "))")
  }

  // MARK: Callers

  private func caller(of request: HTTP1Request) throws(Refusal) -> Caller {
    if let key = Self.bearer(request) {
      if let app = apps.app(withKey: Array(key.utf8)) { return .app(bundleID: app.bundleID) }
      try requireToken(
        key, from: request, or: "the key does not belong to an app", file: Self.appKeyFile)
      return .administrator
    }
    guard isOpen else {
      throw Self.unauthorized("the app's key is missing", file: Self.appKeyFile)
    }
    // Refuse web pages. Otherwise, a page in a browser on this machine could reach the service through a host name that
    // resolves to this machine.
    guard Self.isOwnName(request.field("host")), request.field("origin") == nil,
      !Self.isOfForeignPage(request)
    else {
      throw Refusal(
        403,
        "a service with --open does not answer requests for other host names or from web pages",
        do: "use http://127.0.0.1 or http://localhost, and send no requests from web pages")
    }
    return .anybody
  }

  private func requireAdministrator(_ request: HTTP1Request) throws(Refusal) {
    let what = "the admin token is missing or wrong"
    guard let key = Self.bearer(request) else {
      throw Self.unauthorized(what, file: Self.adminTokenFile)
    }
    try requireToken(key, from: request, or: what, file: Self.adminTokenFile)
  }

  /// Throws a refusal unless `key` is the admin token; the refusal names `file` as the source of the right key.
  ///
  /// The admin token is always accepted. A client that has sent too many wrong tokens must wait before it tries other
  /// tokens.
  private func requireToken(
    _ key: String, from request: HTTP1Request, or what: String, file: String
  ) throws(Refusal) {
    switch guesses.check(key, from: request.peerAddress) {
    case .right: return
    case .wrong: throw Self.unauthorized(what, file: file)
    case .tooMany(let seconds):
      var refusal = Refusal(
        429, "too many wrong tokens",
        do: "use the contents of \(file) in the provider's data folder, which are always accepted; "
          + "other tokens get this response for \(seconds) \(seconds == 1 ? "second" : "seconds")")
      refusal.retryAfterSeconds = seconds
      throw refusal
    }
  }

  private static func bearer(_ request: HTTP1Request) -> String? {
    let scheme = "bearer "
    guard let field = request.field("authorization"),
      field.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    return String(field.dropFirst(scheme.count))
  }

  private static func unauthorized(_ what: String, file: String) -> Refusal {
    Refusal(
      401, what,
      do: "send 'authorization: Bearer' with the contents of \(file) in the provider's data folder")
  }

  /// The path of an app's key in the data folder.
  private static let appKeyFile = "apps/BUNDLE-ID.key"
  /// The path of the admin token in the data folder.
  private static let adminTokenFile = "admin-token"

  /// Returns true if the browser reports that a page from another site sent the request.
  ///
  /// This check is necessary because requests for images and scripts have no `Origin`.
  private static func isOfForeignPage(_ request: HTTP1Request) -> Bool {
    request.fields.contains { field in
      field.name.lowercased() == "sec-fetch-site"
        && !["none", "same-origin"].contains(field.value.lowercased())
    }
  }

  private static func isOwnName(_ host: String?) -> Bool {
    guard let host else { return true }
    var name = host[...]
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") { name = host[..<colon] }
    if name.lowercased() == "localhost" { return true }
    return SocketAddress(host: String(name), port: 0)?.isLoopback == true
  }

  private func response(to failure: CampaignService.Failure) -> HTTP1Response {
    switch failure {
    case .missing(let id):
      return .refusal(
        [
          RequestProblem(
            nil, "campaign '\(String(id.unicodeScalars.prefix(80)))' not found",
            do: "'GET /campaigns' lists the campaigns")
        ], status: 404)
    case .conflict(let what, let advice):
      return .refusal([RequestProblem(nil, what, do: advice)], status: 409)
    case .changed(let id, let parts):
      return .refusal([CampaignService.Failure.problem(ofChanged: id, parts)], status: 409)
    case .invalid(let problems): return .refusal(problems.all, status: 400)
    case .noService(let why):
      return .refusal(
        [
          RequestProblem(
            nil, "cannot send: \(ProblemText(why).problem)",
            do: ProblemText(why).advice ?? "start the provider with --gateway or --apple")
        ],
        status: 503)
    case .unanswered(let why):
      return .refusal(
        [
          RequestProblem(
            nil, "no response to the test push: \(why)",
            do: "check that the push service is running, and try again")
        ], status: 504)
    case .storage(let failure):
      log.error("the registry failed", ["why": failure.description])
      return .refusal(
        [RequestProblem(nil, failure.description, do: "check the service's log")], status: 500)
    }
  }
}

extension HTTP1Response {
  /// Creates a response with one JSON object per line.
  static func lines(
    _ lines: [JSONObject], status: Int = 200, fields: [(name: String, value: String)] = []
  ) -> HTTP1Response {
    var body: [UInt8] = []
    for line in lines {
      line.append(to: &body)
      body.append(0x0A)
    }
    return HTTP1Response(
      status: status, fields: [("content-type", "application/x-ndjson")] + fields,
      body: .bytes(body))
  }

  /// Creates a response with plain text.
  fileprivate static func plain(_ text: String, status: Int = 200) -> HTTP1Response {
    HTTP1Response(
      status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }

  /// Creates a response with one JSON object.
  static func object(_ object: JSONObject, status: Int = 200) -> HTTP1Response {
    HTTP1Response(status: status, contentType: "application/json", body: object.bytes + [0x0A])
  }

  /// Creates a response to an invalid request, with the first problem as a message and all problems as a list.
  static func refusal(_ problems: [RequestProblem], status: Int) -> HTTP1Response {
    precondition(!problems.isEmpty, "a refusal has a reason")
    var response = object(
      [
        "error": .string(
          problems[0].field.map { "\($0): \(problems[0].what)" } ?? problems[0].what),
        "advice": .string(problems[0].advice), "errors": .array(problems.map(\.json)),
      ], status: status)
    if status == 401 { response.fields.append(("www-authenticate", "Bearer")) }
    return response
  }
}
