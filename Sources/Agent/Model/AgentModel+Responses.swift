import BelfryWire

extension AgentModel {
  /// A person did something to a notification.
  mutating func responded(_ key: AppNotificationID, action: String, text: String?) {
    guard let entry = delivered[key], let app = apps[key.app] else { return }
    let category = app.category(entry.notification.request.content.category)
    let chosen = entry.notification.request.content.actions?.first { $0.id == action }
    if conditions.isLocked, needsUnlock(action, chosen ?? category?.action(action)) {
      // Client-api 3.26: done when the person has unlocked.
      waitingForUnlock.append(LockedChoice(key: key, action: action, text: text))
      return
    }
    withdraw(key)
    let isDismissal = action == NotificationResponse.dismissAction
    // Putting away is told only to those who asked for it (client-api 3.25).
    let content = entry.notification.request.content
    if isDismissal && !content.tellsDismissal
      && category?.options.contains(.customDismissAction) != true
    {
      return
    }
    let response = NotificationResponse(
      notification: entry.notification, action: action, text: text)
    let waiting = WaitingResponse(
      key: "\(key.app)/\(entry.order)", response: response)
    var queue = waitingResponses[key.app] ?? []
    queue.append(waiting)
    if queue.count > Limits.waitingResponsesPerApp {
      emit(.persist(.remove(.responses, key: queue.removeFirst().key)))
    }
    waitingResponses[key.app] = queue
    emit(.persist(.put(.responses, key: waiting.key, record(of: response))))
    let isForeground =
      action == NotificationResponse.defaultAction
      || (content.actions?.first { $0.id == action } ?? category?.action(action))?
        .options.contains(.foreground) == true
    if presence(of: key.app) == .notRunning
      || (isForeground && presence(of: key.app) == .background)
    {
      launch(key.app, .response, isForeground: isForeground)
    }
    if presence(of: key.app) != .notRunning { sendResponse(waiting, to: key.app) }
  }

  /// Whether it must not be done on a locked screen: what asks for it, and what brings the app to the
  /// front (client-api 3.26).
  private func needsUnlock(_ id: String, _ action: NotificationAction?) -> Bool {
    id == NotificationResponse.defaultAction
      || action?.options.contains(.authenticationRequired) == true
      || action?.options.contains(.foreground) == true
  }

  mutating func sendResponse(_ waiting: WaitingResponse, to app: AppID) {
    _ = question(
      app, .response(waiting.response), .response(app, waiting.key),
      timeoutMilliseconds: Limits.responseMilliseconds)
  }

  /// An app answered a question, or its time is over (nil).
  mutating func replied(_ question: Question, _ reply: AppReply?) {
    guard let purpose = questions.removeValue(forKey: question) else { return }
    switch purpose {
    case .willPresent(let key, let notification):
      if case .present(let options) = reply {
        willPresentAnswered(key, notification, options)
      } else {
        willPresentAnswered(key, notification, [])
      }
    case .fetch(let app, _):
      if case .fetched(let result) = reply {
        wakeEnded(app, result)
        startedForPush.remove(app)
      } else {
        backgroundTimeOver(app)
      }
    case .extend(let token):
      if case .content(let content) = reply {
        extensionEnded(token, content)
      } else {
        extensionEnded(token, nil)
      }
    case .response(let app, let key):
      // Late is as good as handled: the app has it (client-api 3.25).
      waitingResponses[app]?.removeAll { $0.key == key }
      emit(.persist(.remove(.responses, key: key)))
    }
  }

  private func record(of response: NotificationResponse) -> [UInt8] {
    AppEvent.response(response).frame.encoded
  }

  /// Puts a kept response back, at the start.
  mutating func restoreResponse(key: String, record: [UInt8]) {
    guard let frame = try? AppFrame(decoding: record),
      case .response(let response) = try? AppEvent(type: "response", frame),
      let app = key.split(separator: "/").first.flatMap({ AppID(String($0)) })
    else { return }
    waitingResponses[app, default: []].append(WaitingResponse(key: key, response: response))
  }
}

extension NotificationCategory {
  /// The action of that identifier, in either context.
  func action(_ id: String) -> NotificationAction? {
    (actions + (minimalActions ?? [])).first { $0.id == id }
  }
}
