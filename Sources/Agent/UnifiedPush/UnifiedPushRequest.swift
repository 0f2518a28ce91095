package import BelfryWire
import WebPush

/// The version of UnifiedPush's D-Bus interfaces that an app uses.
package enum UnifiedPushVersion: Int64, Hashable, Sendable {
  case one = 1
  case two = 2
}

/// An app's call of a method of the distributor, whose parameters are within the rules (webpush 2.4).
package struct UnifiedPushRequest: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case register(Registration)
    case unregister(token: UTF8Text)
  }

  /// The parameters of `Register`.
  package struct Registration: Hashable, Sendable {
    /// The name on the bus to which the distributor sends: the `service` of the call, or the caller's unique name if
    /// that `service` is not the name of a program on a bus.
    var service: UTF8Text
    /// The app's own, unguessable name for the registration.
    var token: UTF8Text
    /// A text for the user; empty if the app gave none.
    var description = UTF8Text("")
    /// The VAPID key as the app sent it; empty if any sender can send.
    var vapid = UTF8Text("")
  }

  package let version: UnifiedPushVersion
  package let action: Action
}

extension UnifiedPushRequest {
  /// The prefix of the names of the distributor's interfaces; the interface's version follows.
  static let interface = "org.unifiedpush.Distributor"

  /// Reads a call of the program whose unique name is `sender`.
  ///
  /// Returns nil if the distributor does not have the method.
  ///
  /// - Throws: The reason that the distributor ignores the call, because a parameter is outside the rules.
  static func read(
    interface: String, member: String, _ values: [BusValue], sender: String
  ) throws(BusFailure) -> UnifiedPushRequest? {
    let version: UnifiedPushVersion
    switch interface {
    case Self.interface + "1": version = .one
    case Self.interface + "2": version = .two
    default: return nil
    }
    let parameters = try Parameters(values, of: member, version)
    switch member {
    case "Register":
      var registration = Registration(
        service: try parameters.service(or: sender), token: try parameters.token)
      registration.description = try parameters.description
      registration.vapid = try parameters.vapid
      return UnifiedPushRequest(version: version, action: .register(registration))
    case "Unregister":
      return UnifiedPushRequest(
        version: version, action: .unregister(token: try parameters.token))
    default: return nil
    }
  }

  /// The parameters of a call, by the names that version 2 gives them.
  private struct Parameters {
    private enum Name: String {
      case service, token, description, vapid
    }

    private var values: [Name: BusValue] = [:]

    init(_ arguments: [BusValue], of member: String, _ version: UnifiedPushVersion)
      throws(BusFailure)
    {
      let names: [Name] =
        member == "Unregister" ? [.token] : [.service, .token, .description, .vapid]
      switch version {
      case .one:
        // Apps that were written for the first draft of version 1 do not send a description.
        let isComplete =
          member == "Unregister" ? arguments.count == 1 : (2...3).contains(arguments.count)
        guard isComplete, arguments.allSatisfy({ $0.signature == "s" }) else {
          let expected = names.count == 1 ? "1 string" : "2 or 3 strings"
          throw Self.ignored("invalid arguments: \(member) of version 1 expects \(expected)")
        }
        for (name, value) in zip(names, arguments) { values[name] = value }
      case .two:
        guard arguments.count == 1, let first = arguments.first, first.signature == "a{sv}" else {
          throw Self.ignored("invalid arguments: version 2 expects one dictionary, a{sv}")
        }
        // Keys that version 2 does not define are ignored.
        for name in names { values[name] = first[name.rawValue] }
      }
    }

    /// The error that answers a call that the distributor ignores.
    private static func ignored(_ reason: String) -> BusFailure {
      BusFailure(name: "org.freedesktop.DBus.Error.InvalidArgs", message: reason)
    }

    private func text(_ name: Name) throws(BusFailure) -> UTF8Text? {
      guard let value = values[name] else { return nil }
      guard value.isString, let text = value.stringValue else {
        throw Self.ignored("\(name) must be a string")
      }
      return UTF8Text(text)
    }

    /// The name on the bus to which the distributor sends.
    func service(or sender: String) throws(BusFailure) -> UTF8Text {
      guard let service = try text(.service) else { throw Self.ignored("service is required") }
      // A library for Flutter sends the name of an account in place of the app's ID (webpush 2.5).
      return BusName.isWellKnown(service) || BusName.isUnique(service)
        ? service : UTF8Text(sender)
    }

    var token: UTF8Text {
      get throws(BusFailure) {
        guard let token = try text(.token),
          (1...Limits.pushTokenBytes).contains(token.utf8.count)
        else { throw Self.ignored("token must have 1 to \(Limits.pushTokenBytes) bytes") }
        return token
      }
    }

    var description: UTF8Text {
      get throws(BusFailure) {
        let description = try text(.description) ?? UTF8Text("")
        guard description.utf8.count <= Limits.pushDescriptionBytes else {
          throw Self.ignored("description must have at most \(Limits.pushDescriptionBytes) bytes")
        }
        return description
      }
    }

    var vapid: UTF8Text {
      get throws(BusFailure) {
        guard let vapid = try text(.vapid) else { return UTF8Text("") }
        guard VAPIDPublicKey(canonical: Array(vapid.utf8).span) != nil else {
          throw Self.ignored(
            "vapid must be an uncompressed P-256 point in unpadded base64url: 87 characters")
        }
        return vapid
      }
    }
  }
}

extension BusValue {
  /// True for a string, also in a variant.
  fileprivate var isString: Bool {
    switch self {
    case .string: true
    case .variant(let value): value.isString
    default: false
    }
  }
}
