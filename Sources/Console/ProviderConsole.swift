public import ProviderService
public import Transport

/// Everything that the port of `belfry provider` answers: what apps and the operator ask for, and the pages that
/// show it.
///
/// Its functions may be called from any thread.
public final class ProviderConsole: Sendable {
  private let router: ProviderRouter
  private let access: ConsoleAccess
  private let pages: ConsolePages

  /// A console of what `router` answers.
  ///
  /// - Parameters:
  ///   - router: The requests of apps and of the operator.
  ///   - token: The admin token, which begins a session.
  ///   - names: The host names under which the operator lets browsers come.
  ///   - port: The port that browsers come to.
  public init(router: ProviderRouter, token: String, names: [String], port: UInt16) {
    self.router = router
    access = ConsoleAccess(token: token, names: names, port: port, guesses: router.guesses)
    pages = ConsolePages(start: "provider.html", access: access)
  }

  /// Answers a request.
  public func answer(_ request: HTTP1Request) -> HTTP1Response {
    if request.path == "/" || request.path.hasPrefix("/console"),
      let response = pages.answer(request)
    {
      return response
    }
    // A session counts where the request comes from the pages themselves, under a name that is allowed.
    var response = router.answer(request, isAdministrator: access.allows(request))
    response.fields += ConsolePages.apiFields
    return response
  }
}
