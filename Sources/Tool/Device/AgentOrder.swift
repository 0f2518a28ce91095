import AppLink
import BelfryWire
import AppWire

/// An order from `belfry device order` to the agent of `belfry dev`.
///
/// The agent acts as a device with the user's own apps.
struct AgentOrder {
  /// An app's registration, identified by its token.
  private struct Registration {
    let app: String
    let kind: TokenKind
    let token: String
  }

  private let order: DeviceOrder
  private let connection: AppLinkConnection
  private let device: UInt64

  init(_ order: DeviceOrder, socket: String, device: UInt64) {
    self.order = order
    self.device = device
    connection = AppLinkConnection(
      socketPath: socket, reconnects: false, greetingMilliseconds: 5_000,
      hello: { AppHello(role: .control, appID: nil, state: .background) }, handler: { _ in })
    connection.start()
  }

  /// Carries out the order.
  ///
  /// Returns the lines to report once the gateway shows the results.
  func run() throws -> [JSONObject] {
    defer { connection.close() }
    if case .device(let number) = order.target, number != 1, number != device {
      throw DeviceOrder.Refusal(
        "no device \(number) in this run", do: "use 1, or \(device)")
    }
    var registrations: [Registration] = []
    if order.isAboutApps || order.isForToken { registrations = try self.registrations() }
    switch order.verb {
    case .offline: try ask(.moveLink(isOnline: false))
    case .online: try ask(.moveLink(isOnline: true))
    case .sleep: try ask(.state(["asleep": "on"]))
    case .wake: try ask(.state(["asleep": "off"]))
    case .unregister:
      for one in registrations { try ask(.unregister(app: one.app, kind: one.kind)) }
    case .register:
      throw DeviceOrder.Refusal(
        "the agent cannot execute 'register', because apps register themselves",
        do: "start the app, or run 'belfry app run APP_ID --register'")
    case .disable, .enable:
      let word = order.verb == .enable ? "on" : "off"
      for app in Set(registrations.map(\.app)).sorted() {
        try ask(.changeSettings(app: app, ["notifications": word]))
      }
    }
    guard order.isAboutApps else { return [line(nil)] }
    return registrations.map(line)
  }

  private func line(_ registration: Registration?) -> JSONObject {
    var line: JSONObject = [
      "event": .string(order.verb.outcome), "device": DeviceOrder.number(device),
    ]
    if let registration {
      line["topic"] = .string(registration.app)
      line["type"] = .string("\(registration.kind.name)")
      line["token"] = .string(registration.token)
    }
    return line
  }

  /// Returns the registrations to which the order applies.
  private func registrations() throws -> [Registration] {
    var found: [Registration] = []
    for row in try ask(.apps).rows {
      guard let app = row["app"]?.stringValue else { continue }
      for kind in TokenKind.allCases {
        // The agent refuses requests about an app that doesn't have a token yet.
        guard let token = try? ask(.token(app: app, kind: kind)).token else { continue }
        found.append(Registration(app: app, kind: kind, token: token))
      }
    }
    if case .token(let token) = order.target {
      let text = Hexadecimal.encode(token)
      found.removeAll { !$0.token.hasSameBytes(as: text) }
      guard !found.isEmpty else {
        throw DeviceOrder.Refusal(
          "no app of this agent has the token \(text)",
          do: "use a registered token; an unregistered token never becomes valid again")
      }
    }
    guard !found.isEmpty else {
      throw DeviceOrder.Refusal(
        "no app is registered", do: "start the app, or run 'belfry app run APP_ID --register'")
    }
    return found
  }

  @discardableResult
  private func ask(_ request: ControlRequest) throws -> AppAnswer {
    try connection.call(
      .control(request), timeoutMilliseconds: AgentControl.answerMilliseconds)
  }
}
