internal import Console
public import Transport

/// The router for the HTTP port of `belfry provider`: requests from apps and the operator, and the console's pages.
///
/// The router can be used from any thread.
public final class ProviderConsole: Sendable {
  private let router: ProviderRouter
  private let access: ConsoleAccess
  private let pages: ConsolePages

  /// Creates a console for the requests that `router` answers.
  ///
  /// - Parameters:
  ///   - router: The router for requests from apps and the operator.
  ///   - token: The admin token, which is required to begin a session.
  ///   - tokenFile: The path of the file with the admin token, which the sign-in page shows; nil for the default path.
  ///   - names: The host names under which the operator allows browsers to connect.
  ///   - port: The port that browsers connect to.
  public init(
    router: ProviderRouter, token: String, tokenFile: String? = nil, names: [String], port: UInt16
  ) {
    self.router = router
    access = ConsoleAccess(
      token: token, names: names, port: port, guesses: router.guesses,
      instructions: tokenFile.map { SignInInstructions(tokenFile: $0) })
    pages = ConsolePages(start: "provider.html", access: access)
  }

  /// Answers a request for a page of the console, or passes a request from an app or the operator to the router.
  public func answer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path == "/" || request.path.hasPrefix("/console"),
      let response = pages.answer(request)
    {
      return response
    }
    // A session is accepted only if the request comes from the console's own pages and uses an allowed host name.
    var response = access.answering(request) { hasSession in
      router.answer(request, isAdministrator: hasSession)
    }
    response.fields += ConsolePages.apiFields
    return response
  }
}
