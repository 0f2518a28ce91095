import BelfryWire
import AppWire
import PushWire

import Agent

extension CostSubject {
  /// The handling of an app's frames, from the received bytes to the input of a presenter.
  static var appLink: [CostSubject] {
    func notification(
      _ name: String, _ change: @escaping @Sendable (inout NotificationContent, Int) -> Void
    ) -> CostSubject {
      frame("notification: \(name)") { bytes in
        var content = NotificationContent()
        content.title = "T"
        change(&content, bytes)
        return .add(NotificationRequest(id: "n", content: content))
      }
    }
    func scheduled(
      _ name: String, _ make: @escaping @Sendable (String) -> MatchingComponents
    ) -> CostSubject {
      frame("scheduled: \(name)") { bytes in
        var content = NotificationContent()
        content.title = "T"
        return .add(
          NotificationRequest(
            id: "n", content: content,
            trigger: .calendar(make(Hostile.marks(bytes)), repeats: true)))
      }
    }
    return Hostile.json.map { kind in
      notification("\(kind.name) of its data") { content, bytes in
        content.userInfo = (try? JSONValue(parsing: kind.make(bytes)))?.objectValue ?? [:]
      }
    } + [
      notification("one long argument referenced often") { content, bytes in
        content.body = NotificationText(
          key: String(repeating: "%1$@", count: bytes / 8),
          arguments: [String(repeating: "x", count: bytes / 2)])
      },
      notification("combining marks as its text") { content, bytes in
        content.body = NotificationText(Hostile.marks(bytes))
      },
      notification("combining marks as its key") { content, bytes in
        content.body = NotificationText(key: Hostile.marks(bytes))
      },
      notification("combining marks as its thread") { content, bytes in
        content.thread = Hostile.marks(bytes)
      },
      notification("combining marks as its category") { content, bytes in
        content.category = Hostile.marks(bytes)
      },
      notification("combining marks as its key and another string") { content, bytes in
        content.title = NotificationText(key: Hostile.marks(bytes), text: "b")
      },
      notification("combining marks as its text next to a key") { content, bytes in
        content.title = NotificationText(key: "k", text: Hostile.marks(bytes))
      },
      notification("combining marks as an attachment") { content, bytes in
        let marks = Hostile.marks(bytes / 2)
        content.attachments = [
          NotificationAttachment(id: marks, path: "/nowhere", options: ["k": .string(marks)])
        ]
      },
      notification("combining marks as an attachment's type") { content, bytes in
        content.attachments = [
          NotificationAttachment(id: "a", path: "/proc/version", type: Hostile.marks(bytes))
        ]
      },
      notification("combining marks as an attachment's path") { content, bytes in
        content.attachments = [NotificationAttachment(id: "a", path: "/" + Hostile.marks(bytes))]
      },
      scheduled("combining marks as its zone") { MatchingComponents([.hour: 1], zone: $0) },
      scheduled("combining marks as its calendar") { MatchingComponents([.hour: 1], calendar: $0) },
      notification("markup") { content, bytes in
        content.body = NotificationText(String(repeating: "<&>", count: bytes / 3))
      },
      notification("lines") { content, bytes in
        content.body = NotificationText(String(repeating: "a\n", count: bytes / 2))
      },
      notification("attachments") { content, bytes in
        content.attachments = (0..<bytes / 40).map {
          NotificationAttachment(id: "\($0)", path: "/nowhere/\($0)")
        }
      },
      frame("identifiers to remove") { bytes in
        .removePending((0..<bytes / 9).map { String(100_000 + $0) })
      },
      frame("categories with many actions") { bytes in
        let actions = (0..<max(1, bytes / 60)).map {
          NotificationAction(id: "\($0)", title: NotificationText("t"))
        }
        return .setCategories([NotificationCategory(id: "c", actions: actions)])
      },
      frame("categories with combining marks") { bytes in
        .setCategories([NotificationCategory(id: Hostile.marks(bytes), actions: [])])
      },
      frame("a category of combining marks in every string") { bytes in
        let marks = Hostile.marks(bytes / 7)
        let action = NotificationAction(
          id: "a", title: NotificationText(marks), icon: marks,
          textInput: NotificationAction.TextInput(buttonTitle: marks, placeholder: marks))
        return .setCategories([
          NotificationCategory(
            id: "c", actions: [action], minimalActions: [], intents: [marks], summaryFormat: marks)
        ])
      },
      frame("languages") { bytes in .setLanguages((0..<bytes / 8).map { _ in "de-CH" }) },
      frame("a category whose action has combining marks") { bytes in
        let action = NotificationAction(id: "a", title: NotificationText(Hostile.marks(bytes)))
        return .setCategories([NotificationCategory(id: "c", actions: [action])])
      },
      frame("a region of combining marks") { bytes in
        let circle = NotificationRegion.Shape.circle(latitude: 1, longitude: 1, radius: 100)
        return .watchRegion(NotificationRegion(id: Hostile.marks(bytes), shape: circle))
      },
      frame("a language of combining marks") { .setLanguages([Hostile.marks($0)]) },
      frame("a language of many parts") { bytes in
        .setLanguages(["de" + String(repeating: "-a", count: bytes / 2)])
      },
    ]
  }

  /// The handling of pushes, from the payload to the input of a presenter.
  static var pushes: [CostSubject] {
    @Sendable func push(
      _ name: String, _ make: @escaping @Sendable (Int) -> String
    ) -> CostSubject {
      CostSubject("push: \(name)", limit: WireLimits.largePayloadBytesMax) { bytes in
        let bench = CostBench()
        let payload = Array(make(bytes).utf8)
        return { bench.push(payload) }
      }
    }
    return Hostile.json.map { kind in
      push("\(kind.name) next to aps") { #"{"aps":{"alert":"a"},"k":\#(kind.make($0))}"# }
    } + [
      push("combining marks as its thread") {
        #"{"aps":{"alert":"a","thread-id":"\#(Hostile.marks($0))"}}"#
      },
      push("one long argument referenced often") { bytes in
        let key = String(repeating: "%1$@", count: bytes / 8)
        let argument = String(repeating: "x", count: bytes / 2)
        return #"{"aps":{"alert":{"loc-key":"\#(key)","loc-args":["\#(argument)"]}}}"#
      },
      push("arguments") { bytes in
        let arguments = Hostile.list(bytes, each: 4) { _ in #""a""# }
        return #"{"aps":{"alert":{"loc-key":"%@","loc-args":[\#(arguments)]}}}"#
      },
    ]
  }

  private static func frame(
    _ name: String, _ make: @escaping @Sendable (Int) -> AppRequest
  ) -> CostSubject {
    CostSubject("app: \(name)", limit: WireLimits.appFrameBytesMaxFromApp) { bytes in
      let bench = CostBench()
      let encoded = make(bytes).frame.numbered(1).encoded
      // A second frame replaces the values that the first frame set, so the agent compares the two.
      let other = make(bytes - 8).frame.numbered(2).encoded
      return {
        bench.receive(encoded)
        bench.receive(other)
      }
    }
  }
}

/// An agent's model with an app that is allowed to display everything, and with presenters that process its output.
final class CostBench {
  private var model: AgentModel
  private let app: AppID
  private let connection = ConnectionID(number: 1)
  private let texts = LocalizedTexts()
  private var number: Int64 = 10
  private let time = AgentTime(wall: 1_764_000_000_000, elapsed: 1_000, awake: 1_000)

  init() {
    guard let app = AppID("org.example.cost") else { preconditionFailure("invalid app ID") }
    self.app = app
    var configuration = AgentModel.Configuration(agentRun: "run", userID: 7)
    configuration.policy = .all
    configuration.hasGateway = true
    let texts = texts
    model = AgentModel(
      configuration, zones: ZoneFolder(.system, deviceZone: .utc) { FoundationCalendar(named: $0) },
      lookUps: AgentModel.LookUps(
        text: { texts.text($2, folder: "/nowhere", languages: $1).text }))
    handle(.recordsRestored(RestoredRecords([:])))
    handle(.started)
    handle(.linkChanged(isUp: true))
    let hello = AppHello(role: .app, appID: app.text, isDevelopment: true, state: .background)
    var process = ProcessIdentity(pid: 1, uid: 7)
    process.executable = "/opt/cost"
    handle(.appGreeted(RequestID(connection: connection, number: 1), hello, process))
    handle(
      .appRequested(RequestID(connection: connection, number: 2), .requestAuthorization([.alert])))
    handle(.appRequested(RequestID(connection: connection, number: 3), .register(.alert)))
    handle(.registrationSucceeded(app, .alert, token: [1]))
  }

  /// Processes bytes from the app as the app's connection does.
  func receive(_ bytes: [UInt8]) {
    var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromApp)
    decoder.append(bytes)
    guard let frame = try? decoder.next(), let message = try? AppMessage(frame),
      case .request(let type, _, _) = message, let request = try? AppRequest(type: type, frame)
    else { return }
    number += 1
    handle(.appRequested(RequestID(connection: connection, number: number), request))
  }

  /// Processes a push from the gateway.
  func push(_ payload: [UInt8]) {
    number += 1
    let id = NotificationID(high: 1, low: UInt64(number))
    handle(
      .pushReceived(
        ReceivedPush(
          id: id, uniqueID: id, app: app, kind: .alert, payload: payload, collapseID: "same")))
  }

  private func handle(_ event: AgentEvent) {
    model.handle(event, at: time)
    present(model.takeEffects())
    model.handle(.recordsPersisted, at: time)
    present(model.takeEffects())
  }

  private func present(_ effects: [AgentEffect]) {
    for case .present(let presentation) in effects {
      _ = JSONPresenter.line(.presented(presentation), atUnixMilliseconds: 0)
      _ = DesktopNotice(presentation, ServerFeatures(names: ["body", "body-markup", "actions"]))
      _ = WindowContent(words: .english).show("w", .notification(presentation, focus: nil))
    }
  }
}
