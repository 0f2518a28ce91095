internal import Console
internal import AppLink
internal import BelfryWire
internal import AppWire
internal import Synchronization

/// An app on a virtual phone, which registers with the agent and reports the calls that it receives.
final class PhoneApp: Sendable {
  let id: String
  /// True if the app requests provisional permission, so that its notifications are delivered quietly at first.
  private let isQuiet: Bool
  private let report: @Sendable (JSONObject) -> Void
  private let connection = Mutex<AppLinkConnection?>(nil)

  /// Creates an app that connects to the agent at `socket`; `report` receives each callback as an event.
  init(
    id: String, socket: String, isQuiet: Bool, report: @escaping @Sendable (JSONObject) -> Void
  ) {
    self.id = id
    self.isQuiet = isQuiet
    self.report = report
    let connection = AppLinkConnection(
      socketPath: socket,
      hello: { AppHello(appID: id, isDevelopment: true, state: .background) }
    ) { [weak self] event in self?.handle(event) }
    self.connection.withLock { $0 = connection }
    connection.start()
  }

  /// Moves the app to the foreground or the background.
  func become(_ state: AppState) {
    connection.withLock { $0 }?.send(.setState(state)) { _ in }
  }

  func close() {
    let connection = connection.withLock { connection in
      defer { connection = nil }
      return connection
    }
    connection?.close()
  }

  /// The notification categories of every app on a phone, to which a payload can refer with `"category"`.
  static let categories = [
    NotificationCategory(
      id: "MESSAGE",
      actions: [
        NotificationAction(
          id: "reply", title: NotificationText("Reply"),
          textInput: .init(buttonTitle: "Send", placeholder: "Message")),
        NotificationAction(id: "like", title: NotificationText("Like")),
        NotificationAction(
          id: "delete", title: NotificationText("Delete"), options: [.destructive]),
      ]),
    NotificationCategory(
      id: "INVITATION",
      actions: [
        NotificationAction(id: "accept", title: NotificationText("Accept")),
        NotificationAction(
          id: "decline", title: NotificationText("Decline"), options: [.destructive]),
      ]),
  ]

  // MARK: On the connection's thread

  private func handle(_ event: AppLinkConnection.Event) {
    switch event {
    case .connected: connected()
    case .disconnected: break
    case .refused(let failure):
      report(["event": "refused", "app": .string(id), "why": .string("\(failure)")])
    case .event(let event, let question):
      if var line = Self.line(event) {
        line["app"] = .string(id)
        report(line)
      }
      question?.reply(Self.reply(to: event))
    }
  }

  private func connected() {
    guard let connection = connection.withLock({ $0 }) else { return }
    connection.send(.setCategories(Self.categories)) { _ in }
    let types: Set<AuthorizationOption> = [.alert, .sound, .badge]
    // Allow a long time, because the user might take a while to answer.
    connection.send(
      .requestAuthorization(isQuiet ? types.union([.provisional]) : types),
      timeoutMilliseconds: 86_400_000
    ) { _ in }
    connection.send(.register(.alert)) { _ in }
  }

  private static func reply(to event: AppEvent) -> AppReply {
    switch event {
    case .willPresent: .present([.banner, .list, .sound, .badge])
    case .arrived, .task: .fetched(.newData)
    default: .handled
    }
  }

  /// Returns the event as `belfry app run` prints it, or nil for an event that does not interest the user.
  private static func line(_ event: AppEvent) -> JSONObject? {
    switch event {
    case .token(_, let token):
      return ["event": "registered", "token": .string(Hexadecimal.encode(token))]
    case .registrationFailed(_, let failure):
      return ["event": "registrationFailed", "why": .string(failure.message)]
    case .willPresent(let notification):
      return ["event": "willPresent", "title": .string(notification.request.content.title.text)]
    case .arrived(let arrival):
      return [
        "event": "received", "apnsID": .string(arrival.id), "fetch": .bool(arrival.wantsFetch),
      ]
    case .response(let response):
      var line: JSONObject = [
        "event": "response", "action": .string(response.action),
        "title": .string(response.notification.request.content.title.text),
      ]
      line["text"] = response.text.map { .string($0) }
      return line
    default: return nil
    }
  }
}
