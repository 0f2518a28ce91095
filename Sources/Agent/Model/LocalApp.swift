import BelfryWire

/// The agent's record of one app.
struct LocalApp: Hashable, Sendable {
  /// How an installed app is started and recognised.
  struct Installation: Hashable, Sendable {
    /// The desktop file, absolute.
    var desktopFile: String?
    /// The program, absolute.
    var executable: String?
    /// Arguments of the program.
    var arguments: [String] = []
    /// Whether D-Bus may start it (`DBusActivatable`).
    var isBusActivatable = false
    /// A themed icon's name or an absolute path.
    var icon: String?
    /// Whether the program is a script, which runs as its interpreter.
    var isScript = false
    /// The program that identifies the app; nil for a script or one started with arguments, which others may share.
    var provingExecutable: String? { arguments.isEmpty && !isScript ? executable : nil }
    /// What its manifest claims.
    var entitlements = Set(Entitlement.allCases)
    /// The environment of `aps-environment`, as its manifest says it; nil where it says none.
    var pushEnvironment: String?
    /// The class of its windows if it differs from the app's id (`StartupWMClass`).
    var windowClass: String?
    /// The program of its service extension, absolute.
    var serviceExtension: String?
    /// What shows its notifications in windows.
    var contentExtensions: [ContentExtension] = []
  }

  /// A registration for remote notifications.
  struct Registration: Hashable, Sendable {
    /// The token as the gateway gave it; nil until it has.
    var token: [UInt8]?
  }

  let id: AppID
  var name: String?
  /// The folder with the app's resources, absolute.
  var bundlePath: String?
  /// nil for a development app.
  var installation: Installation?
  /// Whether Flatpak has vouched for a process of it: no other sandbox may be it then.
  var isFlatpak = false
  var status = AuthorizationStatus.notDetermined
  /// The options for which the app has asked permission one by one (`requestAuthorization`).
  var asked: Set<AuthorizationOption> = []
  /// The types that it registered last by an older interface; nil if it never did.
  var registeredTypes: Set<AuthorizationOption>?
  /// The interface of the app's latest notification.
  var generation = NotificationGeneration.userNotification
  /// Whether the settings list the app; they do not after it unregistered (S4-7).
  var isInSettings = true
  var switches = AppSwitches()
  var categories: [NotificationCategory] = []
  var badge: Int64 = 0
  var registrations: [TokenKind: Registration] = [:]
  var languages: [String]?
  var backgroundModes: [String] = []
  var locationUsage: String?
  var locationStatus = LocationStatus.notDetermined

  init(id: AppID) { self.id = id }

  /// The name for people.
  var displayName: String { name ?? id.text }

  /// The number on its icon; 0 when the person does not allow badges.
  var visibleBadge: Int64 { settings.badge == .enabled ? badge : 0 }

  /// Whether the app may have what a manifest has to claim.
  func claims(_ entitlement: Entitlement) -> Bool {
    installation?.entitlements.contains(entitlement) ?? true
  }

  /// Whether the app may be given something to do behind; a development app, which has no manifest, may.
  func mayRun(inMode mode: String) -> Bool {
    installation == nil || backgroundModes.contains(mode)
  }

  /// All options for which the app has asked permission; its settings show a switch for each.
  var requested: Set<AuthorizationOption> { asked.union(registeredTypes ?? []) }

  /// Whether it never asked the user for anything: then its pushes are silent (S1-5).
  var asksForNothing: Bool { requested.isEmpty && status == .notDetermined }

  /// Whether its own notifications are silent, too: it registered, for types or for pushes, and wants no type.
  ///
  /// An app that registered nothing at all is written for iOS 7 or earlier: the user is asked (S0-16, S1-2).
  var isSilent: Bool {
    asksForNothing && (registeredTypes != nil || registrations[.alert] != nil)
  }

  func category(_ id: String) -> NotificationCategory? {
    id.isEmpty ? nil : categories.first { $0.id.hasSameBytes(as: id) }
  }
}

extension LocalApp {
  /// The record as it is kept on disk.
  var json: JSONObject {
    var object: JSONObject = ["id": .string(id.text), "status": .string(status.rawValue)]
    object["name"] = name.map(JSONValue.string)
    object["bundle"] = bundlePath.map(JSONValue.string)
    if let installation {
      var inner = JSONObject()
      inner["desktopFile"] = installation.desktopFile.map(JSONValue.string)
      inner["executable"] = installation.executable.map(JSONValue.string)
      inner["arguments"] = .array(installation.arguments.map(JSONValue.string))
      inner["bus"] = .bool(installation.isBusActivatable)
      inner["icon"] = installation.icon.map(JSONValue.string)
      inner["entitlements"] = .array(
        Entitlement.allCases.filter(installation.entitlements.contains)
          .map { .string($0.rawValue) })
      inner["pushEnvironment"] = installation.pushEnvironment.map(JSONValue.string)
      inner["script"] = .bool(installation.isScript)
      inner["windowClass"] = installation.windowClass.map(JSONValue.string)
      inner["serviceExtension"] = installation.serviceExtension.map(JSONValue.string)
      inner["contentExtensions"] = .array(installation.contentExtensions.map(\.json))
      object["installation"] = .object(inner)
    }
    if isFlatpak { object["flatpak"] = true }
    func words(_ options: Set<AuthorizationOption>) -> JSONValue {
      .array(AuthorizationOption.allCases.filter(options.contains).map { .string($0.rawValue) })
    }
    object["requested"] = words(asked)
    object["types"] = registeredTypes.map(words) ?? .null
    object["generation"] =
      generation == .userNotification ? nil : .string(generation.rawValue)
    object["pane"] = .bool(isInSettings)
    object["switches"] = .object(switches.json)
    object["categories"] = .array(categories.map { .object($0.json) })
    object["badge"] = .integer(badge)
    var tokens = JSONObject()
    for kind in TokenKind.allCases {
      guard let registration = registrations[kind] else { continue }
      tokens["\(kind.name)"] = registration.token.map { .string(hexadecimal($0)) } ?? .null
    }
    object["registrations"] = .object(tokens)
    object["languages"] = languages.map { .array($0.map(JSONValue.string)) }
    object["backgroundModes"] = .array(backgroundModes.map(JSONValue.string))
    object["locationUsage"] = locationUsage.map(JSONValue.string)
    object["locationStatus"] = .string(locationStatus.rawValue)
    return object
  }

  /// Reads a kept record; nil when it has no valid id.
  ///
  /// What is absent keeps its default, so that records of older versions read well.
  init?(json: JSONObject) {
    guard let id = json["id"]?.stringValue.flatMap(AppID.init) else { return nil }
    self.init(id: id)
    name = json["name"]?.stringValue.flatMap(DisplayName.clean)
    bundlePath = json["bundle"]?.stringValue
    isFlatpak = json["flatpak"]?.boolValue ?? false
    status = json["status"]?.stringValue.flatMap(AuthorizationStatus.init) ?? .notDetermined
    if let inner = json["installation"]?.objectValue {
      var installation = Installation()
      installation.desktopFile = inner["desktopFile"]?.stringValue
      installation.executable = inner["executable"]?.stringValue
      installation.windowClass = inner["windowClass"]?.stringValue
      installation.arguments = Self.strings(inner["arguments"])
      installation.isBusActivatable = inner["bus"]?.boolValue ?? false
      installation.icon = inner["icon"]?.stringValue
      if inner["entitlements"] != nil {
        installation.entitlements = Set(
          Self.strings(inner["entitlements"]).compactMap(Entitlement.init))
      }
      installation.pushEnvironment = inner["pushEnvironment"]?.stringValue
      installation.serviceExtension = inner["serviceExtension"]?.stringValue
      installation.contentExtensions = (inner["contentExtensions"]?.arrayValue ?? [])
        .compactMap(ContentExtension.init)
      installation.isScript = inner["script"]?.boolValue ?? false
      self.installation = installation
    }
    isInSettings = json["pane"]?.boolValue ?? true
    asked = Set(Self.strings(json["requested"]).compactMap(AuthorizationOption.init))
    generation =
      json["generation"]?.stringValue.flatMap(NotificationGeneration.init) ?? .userNotification
    if let types = json["types"] {
      registeredTypes = types.arrayValue.map {
        Set($0.compactMap(\.stringValue).compactMap(AuthorizationOption.init))
      }
    } else if generation == .local {
      // An earlier version kept the types that the older interface registered with the others.
      registeredTypes = asked
      asked = []
    }
    switches = json["switches"]?.objectValue.map(AppSwitches.init) ?? AppSwitches()
    categories = (json["categories"]?.arrayValue ?? []).compactMap { value in
      value.objectValue.flatMap { try? NotificationCategory(json: $0) }
    }
    badge = max(0, json["badge"]?.integerValue ?? 0)
    for member in json["registrations"]?.objectValue?.members ?? [] {
      guard let kind = TokenKind(name: member.key) else { continue }
      let token = member.value.stringValue.flatMap(Hexadecimal.decode)
      registrations[kind] = Registration(token: token)
    }
    languages = json["languages"]?.arrayValue.map { $0.compactMap(\.stringValue) }
    backgroundModes = Self.strings(json["backgroundModes"])
    locationUsage = json["locationUsage"]?.stringValue.flatMap(DisplayName.cleanReason)
    locationStatus =
      json["locationStatus"]?.stringValue.flatMap(LocationStatus.init) ?? .notDetermined
  }

  private static func strings(_ value: JSONValue?) -> [String] {
    (value?.arrayValue ?? []).compactMap(\.stringValue)
  }
}

/// Lower-case hexadecimal text of bytes.
func hexadecimal(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  for byte in bytes {
    text.append(Hexadecimal.digit(byte >> 4))
    text.append(Hexadecimal.digit(byte))
  }
  return String(decoding: text, as: UTF8.self)
}
