internal import Console
internal import BelfryWire
internal import Gateway
public import Transport

/// The router for the gateway's HTTP port, which serves the console's pages, its session, the admin API, and the
/// probes.
///
/// The router can be used from any thread.
public final class ConsoleRouter: Sendable {
  private let access: ConsoleAccess
  private let pages: ConsolePages
  private let api: AdminRouter
  private let pushes: TestPushes?
  private let phones: VirtualPhones?

  /// Creates a router for the pages and the admin API.
  ///
  /// - Parameters:
  ///   - api: The admin API.
  ///   - token: The admin token, which is required to begin a session.
  ///   - names: The host names under which the operator allows browsers to connect.
  ///   - port: The port that browsers connect to.
  ///   - gateway: The destination of test pushes; nil disables them.
  ///   - phones: The virtual phones; nil disables them.
  public init(
    api: AdminRouter, token: String, names: [String], port: UInt16, gateway: TestPushes.Gateway?,
    phones: VirtualPhones? = nil
  ) {
    self.api = api
    self.phones = phones
    access = ConsoleAccess(
      token: token, names: names, port: port, guesses: api.guesses,
      instructions: gateway.map {
        SignInInstructions(folder: $0.folder.path, tokenFile: $0.folder.adminTokenFile)
      })
    pages = ConsolePages(start: "index.html", access: access)
    pushes = gateway.map { TestPushes($0) }
  }

  /// Answers a request for a page, the API, or a probe.
  public func answer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path.hasPrefix("/api/") {
      var response = apiAnswer(request)
      response.fields += ConsolePages.apiFields
      return response
    }
    if let response = api.answer(request) { return response }
    return pages.answer(request)
      ?? .failure(
        "not found: \(request.path)", "see docs/admin-api.md", status: 404)
  }

  private func apiAnswer(_ request: HTTP1Request) -> HTTP1Response {
    access.answering(request) { hasSession in
      api.refusal(of: request, hasSession: hasSession) ?? allowedAnswer(request)
    }
  }

  /// Answers an API request whose caller is authorized.
  private func allowedAnswer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path == "/api/console-link", request.method == "POST" {
      return .lines([
        [
          "link": .string(access.sessions.makeLink()),
          "validSeconds": .integer(ConsoleSessions.linkSeconds),
        ]
      ])
    }
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
}
