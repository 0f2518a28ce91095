internal import BelfryWire
internal import Gateway
public import Transport

/// Everything that the gateway's HTTP port answers: the pages and their session, and the admin API with its probes.
///
/// Its functions may be called from any thread.
public final class ConsoleRouter: Sendable {
  private let pages = PageFiles()
  private let access: ConsoleAccess
  private let api: AdminRouter
  private let pushes: TestPushes?
  private let phones: PhoneShelf?

  /// A router of the pages and of what `api` answers.
  ///
  /// - Parameters:
  ///   - api: The admin API.
  ///   - token: The admin token, which begins a session.
  ///   - names: The host names under which the operator lets browsers come.
  ///   - port: The port that browsers come to.
  ///   - gateway: Where test pushes go; nil for no test pushes.
  ///   - phones: The virtual phones; nil for none.
  public init(
    api: AdminRouter, token: String, names: [String], port: UInt16, gateway: TestPushes.Gateway?,
    phones: PhoneShelf? = nil
  ) {
    self.api = api
    self.phones = phones
    access = ConsoleAccess(token: token, names: names, port: port)
    pushes = gateway.map { TestPushes($0) }
  }

  /// Answers a request.
  public func answer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path.hasPrefix("/api/") {
      var response = apiAnswer(request)
      response.fields += Self.apiFields
      return response
    }
    if let response = api.answer(request) { return response }
    if let refusal = access.foreignHost(request) { return refusal }
    if request.path == "/console/session" {
      var response = access.session(request)
      response.fields += Self.apiFields
      return response
    }
    guard let file = pages.file(at: request.path) else {
      return .failure(
        .missing, "there is nothing at \(request.path)", "see docs/admin-api.md", status: 404)
    }
    return page(file, for: request)
  }

  private func apiAnswer(_ request: HTTP1Request) -> HTTP1Response {
    if let refusal = api.refusal(of: request, hasSession: access.allows(request)) { return refusal }
    if request.path == "/api/push", let pushes {
      if request.method == "GET" { return .lines([pushes.destination]) }
      if request.method == "POST" {
        return api.answering { () throws(AdministrationFailure) in
          try pushes.send(request, checkedBy: api.administration)
        }
      }
    }
    if request.path == "/api/phones" || request.path.hasPrefix("/api/phones/"), let phones {
      do throws(AdministrationFailure) {
        return try phones.answer(request, api.administration)
      } catch {
        return .failure(error)
      }
    }
    return api.allowedAnswer(request)
  }

  // MARK: Pages

  /// Nothing from elsewhere, nothing inline, in no frame.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].joined(separator: "; ")

  private static let pageFields: [(name: String, value: String)] = [
    ("content-security-policy", policy), ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
    // Asked for each time, and answered from the browser's memory where it is the same.
    ("cache-control", "no-cache"),
  ]

  private static let apiFields: [(name: String, value: String)] = [
    ("cache-control", "no-store"), ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin"),
  ]

  private func page(_ file: PageFiles.File, for request: HTTP1Request) -> HTTP1Response {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .failure(.invalid, "\(request.method) is not for this path", "use GET", status: 405)
    }
    let fields = Self.pageFields + [("etag", file.tag)]
    let known = (request.field("if-none-match") ?? "").split(separator: ",")
      .map { $0.filter { $0 != " " } }
    guard !known.contains(file.tag), !known.contains("W/\(file.tag)") else {
      return HTTP1Response(status: 304, fields: fields)
    }
    return HTTP1Response(
      status: 200, fields: fields + [("content-type", file.type)], body: .bytes(file.bytes))
  }
}
