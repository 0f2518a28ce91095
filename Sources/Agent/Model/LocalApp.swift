package import BelfryWire
package import AppWire

/// The agent's record of one app.
package struct LocalApp: Hashable, Sendable {
  /// The information with which the agent starts and identifies an installed app.
  package struct Installation: Hashable, Sendable {
    /// The absolute path of the desktop file.
    var desktopFile: String?
    /// The absolute path of the program.
    package var executable: String?
    /// The arguments of the program.
    var arguments: [String] = []
    /// True if D-Bus may start the app (`DBusActivatable`).
    var isBusActivatable = false
    /// A themed icon's name or an absolute path.
    var icon: String?
    /// True if the program is a script, whose process runs the interpreter.
    var isScript = false
    /// The program that identifies the app; nil for a script or a program started with arguments, which several apps
    /// can share.
    var provingExecutable: String? { arguments.isEmpty && !isScript ? executable : nil }
    /// The entitlements that the app's manifest claims.
    var entitlements = Set(Entitlement.allCases)
    /// The environment that `aps-environment` specifies in the app's manifest; nil if the manifest has no such key.
    var pushEnvironment: String?
    /// The class of the app's windows if the class differs from the app's ID (`StartupWMClass`).
    var windowClass: String?
    /// The absolute path of the program for the app's service extension; nil if the app has none.
    package var serviceExtension: String?
    /// The extensions that show the app's notifications in windows.
    package var contentExtensions: [ContentExtension] = []

    package init(
      desktopFile: String? = nil, executable: String? = nil, arguments: [String] = [],
      isBusActivatable: Bool = false, icon: String? = nil, isScript: Bool = false,
      entitlements: Set<Entitlement> = Set(Entitlement.allCases), pushEnvironment: String? = nil,
      windowClass: String? = nil, serviceExtension: String? = nil,
      contentExtensions: [ContentExtension] = []
    ) {
      self.desktopFile = desktopFile
      self.executable = executable
      self.arguments = arguments
      self.isBusActivatable = isBusActivatable
      self.icon = icon
      self.isScript = isScript
      self.entitlements = entitlements
      self.pushEnvironment = pushEnvironment
      self.windowClass = windowClass
      self.serviceExtension = serviceExtension
      self.contentExtensions = contentExtensions
    }
  }

  /// A registration for remote notifications.
  package struct Registration: Hashable, Sendable {
    /// The token that the gateway issued; nil until the gateway has issued one.
    package var token: [UInt8]?
  }

  package let id: AppID
  package var name: String?
  /// The absolute path of the folder with the app's resources.
  var bundlePath: String?
  /// The installation; nil for a development app.
  package var installation: Installation?
  /// True if Flatpak has confirmed the identity of a process of the app; a process in another sandbox can then no
  /// longer claim to be the app.
  var isFlatpak = false
  package var status = AuthorizationStatus.notDetermined
  /// The options that the app requested individually (`requestAuthorization`).
  var asked: Set<AuthorizationOption> = []
  /// The types that the app last registered through an older interface; nil if the app never registered types.
  var registeredTypes: Set<AuthorizationOption>?
  /// The interface of the app's latest notification.
  var generation = NotificationGeneration.userNotification
  /// True if the settings list the app; false once the app has unregistered (S4-7).
  var isInSettings = true
  package var switches = AppSwitches()
  package var categories: [NotificationCategory] = []
  package var badge: Int64 = 0
  package var registrations: [TokenKind: Registration] = [:]
  var languages: [String]?
  package var backgroundModes: [String] = []
  package var locationUsage: String?
  package var locationStatus = LocationStatus.notDetermined

  package init(id: AppID) { self.id = id }

  /// The name to show to the user.
  var displayName: String { name ?? id.text }

  /// The number on the app's icon; 0 if the user does not allow badges.
  package var visibleBadge: Int64 { settings.badge == .enabled ? badge : 0 }

  /// Returns true if the app has an entitlement that a manifest must claim.
  func claims(_ entitlement: Entitlement) -> Bool {
    installation?.entitlements.contains(entitlement) ?? true
  }

  /// Returns true if the app may receive work in the background.
  ///
  /// A development app, which has no manifest, can always receive work.
  func mayRun(inMode mode: String) -> Bool {
    installation == nil || backgroundModes.contains(mode)
  }

  /// True if the user permits the app to use the location.
  var mayLocate: Bool {
    switch locationStatus {
    case .always, .whenInUse: true
    case .notDetermined, .restricted, .denied: false
    }
  }

  /// All options that the app has requested; the app's settings show a switch for each option.
  package var requested: Set<AuthorizationOption> { asked.union(registeredTypes ?? []) }

  /// True if the app never asked the user for anything; its pushes are then silent (S1-5).
  var asksForNothing: Bool { requested.isEmpty && status == .notDetermined }

  /// True if the app's own notifications are silent, like its pushes: the app registered for types or for pushes, but
  /// requested no type.
  ///
  /// An app that never registered was written for iOS 7 or earlier, so the user is asked (S0-16, S1-2).
  var isSilent: Bool {
    asksForNothing && (registeredTypes != nil || registrations[.alert] != nil)
  }

  func category(_ id: String) -> NotificationCategory? {
    id.isEmpty ? nil : categories.first { $0.id.hasSameBytes(as: id) }
  }
}

extension LocalApp {
  /// The record as stored on disk.
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
      tokens["\(kind.name)"] = registration.token.map { .string(Hexadecimal.encode($0)) } ?? .null
    }
    object["registrations"] = .object(tokens)
    object["languages"] = languages.map { .array($0.map(JSONValue.string)) }
    object["backgroundModes"] = .array(backgroundModes.map(JSONValue.string))
    object["locationUsage"] = locationUsage.map(JSONValue.string)
    object["locationStatus"] = .string(locationStatus.rawValue)
    return object
  }

  /// Reads a stored record; nil if it has no valid ID.
  ///
  /// Missing values keep their defaults, so that records of older versions can be read.
  package init?(json: JSONObject) {
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
      // An earlier version stored the older interface's registered types among the other options.
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
