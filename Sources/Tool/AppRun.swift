import AppLink
import BelfryWire
import AppWire
import Foundation
import Synchronization
import System

/// `belfry app run`: runs an app that prints its callbacks and reads its answers from standard input.
final class AppRun: Sendable {
  static let table = OptionTable(
    command: "belfry app run",
    summary: """
      Acts as an app and prints one JSON line per callback. The agent waits for an answer to each line with an ID:
      'present' for willPresent, which an app in the foreground receives before a notification is shown, and 'complete'
      for received, response and taskBegins. Without an answer to willPresent within 10 s, or if standard input has
      ended, the notification is not shown. Reads commands from standard input, one JSON line each:
      {"do":"submitTask","task":ID,"kind":"refresh|processing","at":"2026-11-21T18:00Z"},
      {"do":"complete","id":…,"result":"newData|noData|failed"}, {"do":"present","id":…,"options":["banner","sound"]},
      {"do":"state","state":"background"}, {"do":"beginTask"}, {"do":"endTask","task":…}.
      """,
    positionals: "APP_ID", positionalCount: 1...1,
    [
      .value("authorize", "TYPES", "request permission for these types, such as alert,sound,badge"),
      .flag("register", "register for remote notifications"),
      .repeatable("category", "FILE.json", "a JSON file that defines a category and its actions"),
      .value("state", "foreground|background", default: "foreground", "the app's initial state"),
      AgentControl.socketOption,
    ])

  private struct State {
    var app: AppState
    var questions: [Int64: (AppLinkQuestion, AppEvent)] = [:]
    var hasInput = true
    /// True once the run has ended; the closing of its own connection is not an error.
    var hasEnded = false
    var connection: AppLinkConnection?
  }

  private let appID: String
  private let options: Set<AuthorizationOption>
  private let registers: Bool
  private let categories: [NotificationCategory]
  private let state: Mutex<State>

  private init(_ given: CommandLineOptions) throws {
    appID = given.positionals[0]
    registers = given.has("register")
    var wanted: Set<AuthorizationOption> = []
    for word in (given.value("authorize") ?? "").split(separator: ",") {
      guard let option = AuthorizationOption(rawValue: String(word)) else {
        throw CommandLineOptions.Problem.badValue(
          key: "authorize", value: String(word), wanted: "types such as alert,sound,badge")
      }
      wanted.insert(option)
    }
    options = wanted
    categories = try given.values("category").map(CategoryFile.read)
    let name = try given.choice("state", of: AppState.allCases.map(\.rawValue))
    state = Mutex(State(app: name.flatMap(AppState.init) ?? .foreground))
  }

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      SignalWatcher.blockSignals()
      return try AppRun(options).untilStopped(options.value("socket") ?? StateFolders.socket)
    }
  }

  private func untilStopped(_ socketPath: String) throws -> Int32 {
    let loop = try EventLoop()
    let status = Mutex<Int32>(0)
    let mailbox = loop.mailbox(of: Int32.self) { statuses in
      status.withLock { $0 = statuses.last ?? 0 }
      loop.stop()
    }
    let signals = try SignalWatcher(on: loop, for: [.terminate, .interrupt]) { _ in loop.stop() }
    let connection = AppLinkConnection(
      socketPath: socketPath, hello: { [self] in hello },
      handler: { [self] event in
        if let end = handle(event) { mailbox.post(end) }
      })
    state.withLock { $0.connection = connection }
    connection.start()
    let input = Thread { [self] in
      while let line = readLine() { typed(line) }
      inputEnded()
    }
    input.start()
    loop.run()
    signals.close()
    state.withLock { $0.hasEnded = true }
    connection.close()
    return status.withLock { $0 }
  }

  private var hello: AppHello {
    var hello = AppHello(
      appID: appID, isDevelopment: true, state: state.withLock { $0.app })
    hello.launch = AgentSocket.launch
    return hello
  }

  // MARK: - Events

  /// Handles an event of the connection.
  ///
  /// Returns the exit status if the run is over.
  private func handle(_ event: AppLinkConnection.Event) -> Int32? {
    switch event {
    case .connected(let welcome):
      connected(welcome)
    case .disconnected(let failure):
      report(failure)
    case .refused(let failure):
      Output.error(failure)
      return 1
    case .event(let event, let question):
      handle(event, question)
    }
    return nil
  }

  private func connected(_ welcome: AppWelcome) {
    state.withLock { $0.questions = [:] }
    var line: JSONObject = ["reason": .string(welcome.launch.reason.rawValue)]
    if let response = welcome.launch.response {
      line["action"] = .string(response.action)
      line["notification"] = .object(response.notification.line)
    }
    if let payload = welcome.launch.payload { line["payload"] = Self.payload(payload) }
    print("launched", line)
    guard let connection = state.withLock({ $0.connection }) else { return }
    if !categories.isEmpty {
      connection.send(.setCategories(categories)) { [self] result in
        if case .failure(let failure) = result { report(failure) }
      }
    }
    guard !options.isEmpty else { return register(connection) }
    connection.send(.requestAuthorization(options), timeoutMilliseconds: 86_400_000) {
      [self] result in
      switch result {
      case .success(let answer):
        print(
          "authorized",
          [
            "granted": .bool(answer.isGranted),
            "settings": (try? answer.settings()).map { .object($0.json) } ?? .null,
          ])
        register(connection)
      case .failure(let failure): report(failure)
      }
    }
  }

  /// Prints an error, unless the run has ended and therefore closed the connection itself.
  private func report(_ failure: AppLinkFailure) {
    if !state.withLock({ $0.hasEnded }) { Output.error(failure) }
  }

  private func register(_ connection: AppLinkConnection) {
    guard registers else { return }
    connection.send(.register(.alert)) { [self] result in
      if case .failure(let failure) = result { report(failure) }
    }
  }

  private func handle(_ event: AppEvent, _ question: AppLinkQuestion?) {
    var line = JSONObject()
    if let question {
      line["id"] = .string(String(question.number))
      state.withLock { $0.questions[question.number] = (question, event) }
    }
    switch event {
    case .token(_, let token):
      line["token"] = .string(Hexadecimal.encode(token))
      print("registered", line)
    case .registrationFailed(_, let failure):
      line["reason"] = .string(failure.reason.rawValue)
      line["message"] = .string(failure.message)
      print("registrationFailed", line)
    case .willPresent(let notification):
      line["notification"] = .object(notification.line)
      print("willPresent", line)
    case .arrived(let arrival):
      line["apnsID"] = .string(arrival.id)
      line["payload"] = Self.payload(arrival.payload)
      line["fetch"] = .bool(arrival.wantsFetch)
      print("received", line)
    case .response(let response):
      line["action"] = .string(response.action)
      line["text"] = response.text.map(JSONValue.string) ?? .null
      line["notification"] = .object(response.notification.line)
      print("response", line)
    case .settings(let settings):
      line["settings"] = .object(settings.json)
      print("settings", line)
    case .state(let new): become(new)
    case .task(let task):
      line["task"] = .string(task.id)
      line["kind"] = .string(task.kind.rawValue)
      print("taskBegins", line)
    case .backgroundTimeEnds: print("backgroundTimeEnds", line)
    case .badge(let badge):
      line["badge"] = .integer(badge)
      print("badge", line)
    default: break
    }
    if let question, !state.withLock({ $0.hasInput }) { answerByItself(question.number) }
  }

  private func print(_ event: String, _ rest: JSONObject) {
    var line: JSONObject = ["event": .string(event), "app": .string(appID)]
    line.merge(rest)
    Output.json(.object(line))
  }

  private static func payload(_ bytes: [UInt8]) -> JSONValue {
    (try? JSONValue(parsing: bytes)) ?? .string(String(decoding: bytes, as: UTF8.self))
  }

  // MARK: - Commands

  private func typed(_ text: String) {
    guard !text.isEmpty else { return }
    guard let command = (try? JSONValue(parsing: text))?.objectValue,
      let verb = command["do"]?.stringValue
    else {
      return Output.error(
        "invalid command on stdin", do: "write a JSON object on one line: {\"do\":…}")
    }
    switch verb {
    case "complete":
      let word = command["result"]?.stringValue ?? FetchResult.noData.rawValue
      guard let result = FetchResult(rawValue: word) else {
        return Output.error("unknown result '\(word)'", do: "use newData, noData or failed")
      }
      answer(command["id"]) { event in
        switch event {
        case .arrived, .task: .fetched(result)
        default: .handled
        }
      }
    case "present":
      let words = (command["options"]?.arrayValue ?? []).compactMap(\.stringValue)
      answer(command["id"]) { _ in
        .present(Set(words.compactMap(PresentationOption.init(rawValue:))))
      }
    case "submitTask": submitTask(command)
    case "beginTask": beginTask(name: command["name"]?.stringValue)
    case "endTask":
      guard let task = command["task"]?.integerValue else {
        return Output.error("missing task number", do: "use the number from a 'task' line")
      }
      state.withLock { $0.connection }?.send(.endBackgroundTask(task)) { _ in }
    case "state":
      guard let name = command["state"]?.stringValue, let new = AppState(rawValue: name) else {
        return Output.error("missing or unknown state", do: "use foreground or background")
      }
      become(new)
    default:
      Output.error(
        "unknown command '\(verb)'",
        do: "use complete, present, state, beginTask, endTask or submitTask")
    }
  }

  /// Requests a launch for a background task, and prints whether the task is scheduled.
  private func submitTask(_ command: JSONObject) {
    guard let id = command["task"]?.stringValue,
      let kind = command["kind"]?.stringValue.flatMap(BackgroundTaskRequest.Kind.init)
    else {
      return Output.error(
        "missing task, or unknown kind",
        do: "use an ID as the task, and refresh or processing as the kind")
    }
    let moment = command["at"]?.stringValue.flatMap { NotifyTrigger.instant($0) }
    let request = BackgroundTaskRequest(id: id, kind: kind, earliestUnixMilliseconds: moment)
    state.withLock { $0.connection }?.send(.submitTask(request)) { [self] result in
      switch result {
      case .success: print("taskSubmitted", ["task": .string(id)])
      case .failure(let failure):
        print(
          "taskRefused",
          [
            "task": .string(id), "reason": .string(failure.reason.rawValue),
            "message": .string(failure.message),
          ])
      }
    }
  }

  /// Requests time to finish a background task, and prints the time that the agent grants.
  private func beginTask(name: String?) {
    state.withLock { $0.connection }?.send(.beginBackgroundTask(name: name)) { [self] result in
      guard case .success(let answer) = result, let task = answer.task else { return }
      print("task", ["task": .integer(task), "seconds": .double(answer.seconds)])
    }
  }

  /// Changes the app's state, and prints the state once the agent has confirmed it.
  private func become(_ new: AppState) {
    let connection = state.withLock { state in
      state.app = new
      return state.connection
    }
    connection?.send(.setState(new)) { [self] result in
      if case .success = result { print("state", ["state": .string(new.rawValue)]) }
    }
  }

  private func answer(_ id: JSONValue?, _ reply: (AppEvent) -> AppReply) {
    let number = id?.integerValue ?? id?.stringValue.flatMap { Int64($0) }
    guard let number,
      let (question, event) = state.withLock({ $0.questions.removeValue(forKey: number) })
    else {
      let text = id?.stringValue ?? id?.integerValue.map { String($0) }
      return Output.error(
        text.map { "unknown ID '\($0)'" } ?? "missing ID",
        do: "use the ID from a willPresent, received, response or taskBegins line")
    }
    question.reply(reply(event))
  }

  /// Answers open questions immediately, because standard input is closed.
  private func inputEnded() {
    let open = state.withLock { state in
      state.hasInput = false
      return state.questions.keys.sorted()
    }
    for number in open { answerByItself(number) }
  }

  private func answerByItself(_ number: Int64) {
    guard let (question, event) = state.withLock({ $0.questions.removeValue(forKey: number) })
    else { return }
    switch event {
    case .arrived, .task: question.reply(.fetched(.noData))
    case .willPresent: question.reply(.present([]))
    default: question.reply(.handled)
    }
  }
}

extension DeliveredNotification {
  /// The notification, formatted as a member of an output line.
  fileprivate var line: JSONObject {
    let content = request.content
    return [
      "id": .string(request.id),
      "date": .string(Timestamp.rfc3339(unixMilliseconds: unixMilliseconds)),
      "title": .string(content.title.text), "subtitle": .string(content.subtitle.text),
      "body": .string(content.body.text), "badge": content.badge.map(JSONValue.integer) ?? .null,
      "sound": content.sound.map { .string($0.name ?? "default") } ?? .null,
      "category": .string(content.category), "thread": .string(content.thread),
      "interruptionLevel": .string(content.interruptionLevel.rawValue),
      "userInfo": .object(content.userInfo),
      "trigger": .string(request.trigger.kindWord),
    ]
  }
}

extension NotificationTrigger? {
  fileprivate var kindWord: String {
    switch self {
    case nil: "now"
    case .push: "push"
    case .interval: "interval"
    case .calendar, .date: "calendar"
    case .region: "location"
    }
  }
}
