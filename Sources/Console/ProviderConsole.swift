public import ProviderService
public import Transport

/// The router of the HTTP port of `belfry provider`: the requests of apps and of the operator, and the pages that show
/// them.
///
/// Its functions can be called from any thread.
public final class ProviderConsole: Sendable {
  private let router: ProviderRouter
  private let access: ConsoleAccess
  private let pages: ConsolePages

  /// Creates a console for the requests that `router` answers.
  ///
  /// - Parameters:
  ///   - router: The router of the apps' and the operator's requests.
  ///   - token: The admin token, which begins a session.
  ///   - names: The host names under which the operator allows browsers to connect.
  ///   - port: The port that browsers connect to.
  public init(router: ProviderRouter, token: String, names: [String], port: UInt16) {
    self.router = router
    access = ConsoleAccess(token: token, names: names, port: port, guesses: router.guesses)
    pages = ConsolePages(start: "provider.html", access: access)
  }

  /// Answers a request for a page, or from an app or the operator.
  public func answer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path == "/" || request.path.hasPrefix("/console"),
      let response = pages.answer(request)
    {
      return response
    }
    // A session is accepted only if the request is from the pages themselves, under an allowed host name.
    var response = router.answer(request, isAdministrator: access.allows(request))
    response.fields += ConsolePages.apiFields
    return response
  }
}
