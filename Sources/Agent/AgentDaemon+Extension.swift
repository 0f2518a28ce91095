import System

extension AgentDaemon {
  /// Starts a service extension, and sees that it ends in time: it is told shortly before, and the
  /// original is shown after (client-api 3.48).
  func start(_ order: ExtensionOrder) {
    guard launcher?.start(order) == true else {
      model.extensionEnded(order.token, nil)
      return flush()
    }
    after(Limits.extensionWarningMilliseconds) { $0.model.extensionTimeEnds(order.token) }
    after(Limits.extensionMilliseconds) { $0.model.extensionEnded(order.token, nil) }
  }

  private func after(_ milliseconds: Int64, _ body: @escaping (AgentDaemon) -> Void) {
    _ = loop.schedule(afterNanoseconds: milliseconds * 1_000_000) { [weak self] in
      guard let self else { return }
      body(self)
      self.flush()
    }
  }
}
