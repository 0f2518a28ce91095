import BelfryWire

/// One line of `belfry doctor`.
struct Finding: Hashable, Sendable {
  /// What the line is about.
  var feature: String
  /// Whether it works, as far as the agent can determine.
  var isFine: Bool
  /// Whether something is missing, rather than turned off.
  var isLack = true
  /// Whether everything else works without it.
  var isOptional = false
  /// What was found, or what is wrong.
  var detail: String
  /// What to do about it; empty when there is nothing.
  var advice = ""

  /// The object that the command prints.
  var json: JSONObject {
    [
      "feature": .string(feature), "state": isFine ? "ok" : isLack ? "missing" : "attention",
      "optional": .bool(isOptional), "detail": .string(detail),
      "do": .string(isFine ? "" : advice),
    ]
  }
}

/// The model's part of a diagnosis.
struct ModelDiagnosis: Hashable, Sendable {
  /// The device's languages, most wanted first.
  var languages: [String]
  var isLinkUp: Bool
  /// Whether location services are on for this device.
  var isLocationOn: Bool
  /// How the device stands, as `belfry state` says it.
  var conditions: JSONObject
  /// Why each app's notifications may not be seen.
  var appFindings: [Finding]
}

extension ModelDiagnosis {
  /// How the device stands, in words.
  var conditionsText: String {
    conditions.members.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: " ")
  }

  /// What the machines know of it.
  init(
    _ context: AgentContext, _ permissions: Permissions, _ registrations: Registrations,
    _ pipeline: DeliveryPipeline
  ) {
    self.init(
      languages: context.apps.languages, isLinkUp: registrations.isUp,
      isLocationOn: context.apps.isLocationOn, conditions: context.conditions.row,
      appFindings: context.apps.all.flatMap { app in
        app.findings(
          isUndecided: permissions.isUndecided(app.id), tokenAdvice: registrations.advice,
          lacksLocationUsage: permissions.lacksLocationUsage(app),
          holdsPush: pipeline.holdsPush(of: app.id),
          holdsBackgroundWork: context.conditions.holdsBackgroundWork)
      })
  }
}

extension LocalApp {
  /// What lets an app that wants the location say why.
  static let locationUsageAdvice =
    "put NSLocationWhenInUseUsageDescription into its manifest (a development app may have it in "
    + "BELFRY_LOCATION_USAGE)"

  /// Why its notifications may not be seen.
  func findings(
    isUndecided: Bool, tokenAdvice: String, lacksLocationUsage: Bool, holdsPush: Bool,
    holdsBackgroundWork: Bool
  ) -> [Finding] {
    var problems: [(String, String)] = []
    switch status {
    case .notDetermined:
      problems.append(
        isUndecided
          ? ("waits for a person's answer", "belfry settings \(id) notifications=on")
          : ("never asked for permission", "let the app call requestAuthorization"))
    case .denied:
      problems.append(("a person said no", "belfry settings \(id) notifications=on"))
    case .authorized, .provisional: break
    }
    if status.allows, requested.isEmpty {
      problems.append(
        (
          "may notify, and never asked for alerts, sounds or badges: none is seen or heard",
          "let the app call requestAuthorization"
        ))
    }
    if status.allows, settings.alert == .disabled {
      problems.append(("alerts are switched off", "belfry settings \(id) alert=on"))
    }
    if !claims(.pushes) {
      problems.append(
        (
          "its manifest does not claim aps-environment: it gets no token",
          "add it and run 'belfry app install' again"
        ))
    } else if let registration = registrations[.alert], registration.token == nil {
      problems.append(("registered, and has no token yet", tokenAdvice))
    }
    if lacksLocationUsage {
      problems.append(
        (
          "asked for the location without saying why: nobody was asked", Self.locationUsageAdvice
        ))
    }
    if registrations[.alert] != nil, !mayRun(inMode: "remote-notification") {
      problems.append(
        (
          "its manifest lacks the background mode remote-notification: no push starts it",
          "add it, where the app wants background pushes, and run 'belfry app install' again"
        ))
    }
    if holdsPush {
      problems.append(
        (
          "a background push waits",
          holdsBackgroundWork
            ? "for power or another network" : "its budget is used up: it comes later"
        ))
    }
    let feature = "app \(id)"
    guard !problems.isEmpty else {
      return [Finding(feature: feature, isFine: true, detail: "may notify")]
    }
    return problems.map { problem, advice in
      Finding(feature: feature, isFine: false, isLack: false, detail: problem, advice: advice)
    }
  }
}
