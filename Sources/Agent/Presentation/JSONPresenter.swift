import AppWire
package import BelfryWire
import System

/// A presenter that prints one JSON line per event, for programs and tests (contract: `belfry agent --presenter json`).
package final class JSONPresenter: Presenter {
  private let write: (String) -> Void
  private weak var listener: (any PresenterListener)?

  /// Creates a presenter.
  ///
  /// The listener is notified immediately that a printed notification is shown; `write` receives a line without its
  /// newline.
  init(_ listener: (any PresenterListener)?, write: @escaping (String) -> Void) {
    self.listener = listener
    self.write = write
  }

  let kind = PresenterKind.json
  var isAvailable: Bool { true }
  var canAsk: Bool { false }

  func show(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64) {
    guard let line = Self.line(event, atUnixMilliseconds: unixMilliseconds) else { return }
    write(line.text)
    if case .presented(let presentation) = event { listener?.presenterShowed(presentation.key) }
  }

  func close() {}

  /// Returns the JSON object that is printed for an event; nil if the event prints no line.
  ///
  /// The objects of all events of one kind have the same keys.
  package static func line(_ event: PresenterEvent, atUnixMilliseconds unixMilliseconds: Int64)
    -> JSONObject?
  {
    func object(_ name: String, _ rest: JSONObject) -> JSONObject {
      var object: JSONObject = [
        "event": .string(name),
        "at": .string(Timestamp.rfc3339(unixMilliseconds: unixMilliseconds)),
      ]
      object.merge(rest)
      return object
    }
    func named(_ key: AppNotificationID) -> JSONObject {
      ["app": .string(key.app.text), "id": .string(key.id)]
    }
    switch event {
    case .presented(let presentation):
      return object(presentation.isUpdate ? "updated" : "presented", presentation.json)
    case .refreshed(let presentation): return object("updated", presentation.json)
    // No line is needed here, because a `suppressed` line reports the notification with the reason.
    case .listed: return nil
    case .removed(let key): return object("removed", named(key))
    // Windows are not printed. A failed launch is in the log.
    case .drawn, .windowClosed, .launchImage, .launchFailed: return nil
    case .badge(let app, let badge):
      return object("badge", ["app": .string(app.text), "badge": .integer(badge)])
    case .sound(let key, let sound):
      var rest = named(key)
      rest["sound"] = .string(sound.name ?? "default")
      rest["critical"] = .bool(sound.isCritical)
      rest["volume"] = sound.volume.map(JSONValue.double) ?? .null
      return object("sound", rest)
    case .suppressed(let key, let reason):
      var rest = named(key)
      rest["reason"] = .string(reason.rawValue)
      return object("suppressed", rest)
    case .launched(let app, let reason):
      return object(
        "launched", ["app": .string(app.text), "reason": .string(reason.rawValue)])
    case .link(let isUp): return object("link", ["state": isUp ? "up" : "down"])
    case .prompt(let prompt):
      return object("prompt", prompt.json)
    case .promptWithdrawn(let prompt):
      return object("promptWithdrawn", prompt.identity)
    }
  }
}

extension Prompt {
  /// The members of a line that identify its prompt.
  fileprivate var identity: JSONObject {
    ["app": .string(app.text), "prompt": .integer(Int64(clamping: id.number))]
  }

  /// The fields of a `prompt` line.
  fileprivate var json: JSONObject {
    var object = identity
    switch subject {
    case .notifications: object["subject"] = "notifications"
    case .location(let usage):
      object["subject"] = "location"
      object["usage"] = .string(usage)
      object["always"] = .bool(wantsAlways)
    }
    return object
  }
}

extension Presentation {
  /// The fields of a `presented` line.
  var json: JSONObject {
    [
      "app": .string(key.app.text), "id": .string(key.id), "title": .string(title),
      "subtitle": .string(subtitle), "body": .string(body),
      "badge": badge.map(JSONValue.integer) ?? .null,
      "sound": sound.map { .string($0.name ?? "default") } ?? .null,
      "category": .string(category),
      "actions": .array(
        (isPersistent ? alertActions : actions).map { action in
          [
            "id": .string(action.id), "title": .string(action.title),
            "destructive": .bool(action.isDestructive),
            "authenticationRequired": .bool(action.needsAuthentication),
          ]
        }),
      "hasAction": .bool(opening == .buttonAndClick),
      "thread": .string(thread), "interruptionLevel": .string(interruptionLevel.rawValue),
      "userInfo": .object(userInfo), "trigger": .string(origin.rawValue),
      "attachments": .array(attachments.map { .object($0.json) }),
    ]
  }
}
