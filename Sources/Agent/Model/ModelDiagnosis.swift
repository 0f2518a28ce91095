import BelfryWire

/// One line of `belfry doctor`.
struct Finding: Hashable, Sendable {
  /// What the line is about.
  var feature: String
  /// Whether it works as far as the agent can tell.
  var isFine: Bool
  /// Whether something is not there, rather than set so.
  var isLack = true
  /// What is there, or what is wrong.
  var detail: String
  /// What to do about it; empty when there is nothing.
  var advice = ""

  /// The object that the command prints.
  var json: JSONObject {
    [
      "feature": .string(feature), "state": isFine ? "ok" : isLack ? "missing" : "attention",
      "detail": .string(detail),
      "do": .string(isFine ? "" : advice),
    ]
  }
}

/// What the model contributes to a diagnosis.
struct ModelDiagnosis: Hashable, Sendable {
  /// The device's languages, most wanted first.
  var languages: [String]
  var isLinkUp: Bool
  /// Whether places are told to anyone on this device.
  var isLocationOn: Bool
  /// What keeps each app's notifications from being seen.
  var appFindings: [Finding]
}

extension AgentModel {
  var diagnosis: ModelDiagnosis {
    ModelDiagnosis(
      languages: languages, isLinkUp: isLinkUp, isLocationOn: isLocationOn,
      appFindings: appFindings)
  }

  /// What keeps each app's notifications from being seen.
  private var appFindings: [Finding] {
    apps.values.sorted { $0.id < $1.id }.flatMap { record -> [Finding] in
      let feature = "app \(record.id)"
      let settings = record.settings
      var problems: [(String, String)] = []
      switch record.status {
      case .notDetermined:
        problems.append(
          isWaitingForPerson(record.id)
            ? ("waits for a person's answer", "belfry settings \(record.id) notifications=on")
            : ("never asked for permission", "let the app call requestAuthorization"))
      case .denied:
        problems.append(
          ("a person said no", "belfry settings \(record.id) notifications=on"))
      default: break
      }
      if record.status.allows, settings.alert == .disabled {
        problems.append(("alerts are switched off", "belfry settings \(record.id) alert=on"))
      }
      if record.claims(.pushes) == false {
        problems.append(
          (
            "its manifest does not claim aps-environment: it gets no token",
            "add it and run 'belfry app install' again"
          ))
      } else if record.registrations[.alert]?.token == nil, record.registrations[.alert] != nil {
        problems.append(
          (
            "registered, and has no token yet",
            hasGateway ? "wait for the gateway, or see its line above" : "give the agent a gateway"
          ))
      }
      if heldFetches[record.id] != nil {
        problems.append(
          (
            "a background push waits",
            conditions.holdsBackground
              ? "for power or another network" : "its budget is used up: it comes later"
          ))
      }
      guard !problems.isEmpty else {
        return [Finding(feature: feature, isFine: true, detail: "may notify")]
      }
      return problems.map { problem, advice in
        Finding(
          feature: feature, isFine: false, isLack: false, detail: problem, advice: advice)
      }
    }
  }
}
