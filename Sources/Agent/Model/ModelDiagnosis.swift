import AppWire
import BelfryWire
import System

/// One line of the output of `belfry doctor`.
struct Finding: Hashable, Sendable {
  /// The feature that the line describes.
  var feature: String
  /// True if the feature works, as far as the agent can determine.
  var isFine: Bool
  /// True if the feature is missing; false if it is turned off.
  var isLack = true
  /// True if everything else works without the feature.
  var isOptional = false
  /// A description of the finding or of the problem.
  var detail: String
  /// The advice for the user; empty if no action is needed.
  var advice = ""
  /// The address of the gateway, for the finding about the gateway.
  var address: String?  // text: The operator chooses the address.

  /// The object that the command prints.
  var json: JSONObject {
    var object: JSONObject = [
      "feature": .string(feature), "state": isFine ? "ok" : isLack ? "missing" : "attention",
      "optional": .bool(isOptional), "detail": .string(detail),
      "do": .string(isFine ? "" : advice),
    ]
    if let address { object["address"] = .string(address) }
    return object
  }
}

/// The model's part of a diagnosis.
package struct ModelDiagnosis: Hashable, Sendable {
  /// The device's languages, in order of preference.
  var languages: [String]
  var isLinkUp: Bool
  /// True if an app has registered for pushes.
  var hasRegistrations: Bool
  /// True if location services are on for this device.
  var isLocationOn: Bool
  /// True if a notification or an app waits for a place, and the device's location is not known.
  var lacksPlace: Bool
  /// The device's conditions as `belfry state` prints them.
  var conditions: JSONObject
  /// The state of the UnifiedPush distributor.
  var unifiedPush: Finding
  /// The reasons that the user might not see each app's notifications.
  var appFindings: [Finding]
}

extension ModelDiagnosis {
  /// The device's conditions as text.
  var conditionsText: String {
    conditions.members.map { "\($0.key)=\($0.value.stringValue ?? "")" }.joined(separator: " ")
  }

  /// Creates the diagnosis from the state of the model's parts.
  init(
    _ context: AgentContext, _ permissions: Permissions, _ registrations: Registrations,
    _ pipeline: DeliveryPipeline, _ local: borrowing LocalNotifications, _ unifiedPush: UnifiedPush
  ) {
    let appsWaitingForPlaces = local.appsWaitingForPlaces
    self.init(
      languages: context.apps.languages, isLinkUp: registrations.isUp,
      hasRegistrations: context.apps.all.contains { !$0.registrations.isEmpty },
      isLocationOn: context.apps.isLocationOn, lacksPlace: local.lacksPlace,
      conditions: context.conditions.row, unifiedPush: unifiedPush.finding,
      appFindings: context.apps.all.flatMap { app in
        app.findings(
          isUndecided: permissions.isUndecided(app.id),
          programProblem: context.programProblem(of: app),
          extensionProblems: context.extensionProblems(of: app),
          extensionSilence: pipeline.extensionSilence(of: app.id),
          tokenAdvice: registrations.advice,
          gatewayRefusal: registrations.refusal(of: app.id),
          lacksLocationUsage: permissions.lacksLocationUsage(app),
          waitsForPlace: appsWaitingForPlaces.contains(app.id),
          holdsPush: pipeline.background.holdsPush(of: app.id),
          holdsBackgroundWork: context.conditions.holdsBackgroundWork)
      })
  }
}

extension LocalApp {
  /// The advice for an app that requests the location without a usage description.
  static let locationUsageAdvice =
    "put NSLocationWhenInUseUsageDescription into its manifest (a development app may have it in "
    + "BELFRY_LOCATION_USAGE)"

  /// The advice for an app that requested no options; a script cannot call the method.
  private var requestAdvice: String {
    "make the app call requestAuthorization, or run 'belfry app run \(id) --authorize alert,sound'"
  }

  /// The problem of an app whose alerts the user sees in only one place or in none, and the advice; nil if alerts are off
  /// anyway.
  private var placeProblem: (String, String)? {
    let settings = self.settings
    guard settings.alert == .enabled else { return nil }
    let command = "belfry settings \(id)"
    let isUnlisted = settings.center == .disabled
    if status == .authorized, settings.alertStyle == .none {
      guard isUnlisted else {
        return (
          "banners are turned off (style=none): its notifications are only listed",
          "\(command) style=banner"
        )
      }
      return (
        "banners and the Notification Center are turned off (style=none, center=off): its notifications are neither "
          + "shown nor listed", "\(command) style=banner center=on"
      )
    }
    guard isUnlisted else { return nil }
    // With provisional permission, notifications have no banner.
    return (
      "the Notification Center is turned off (center=off): its notifications are not listed",
      "\(command) center=on"
    )
  }

  /// Returns the reasons that the user might not see the app's notifications.
  func findings(
    isUndecided: Bool, programProblem: (problem: String, advice: String)?,
    extensionProblems: [AppExtension.Problem], extensionSilence: ServiceExtensions.Silence?,
    tokenAdvice: String, gatewayRefusal: String?,
    lacksLocationUsage: Bool, waitsForPlace: Bool, holdsPush: Bool, holdsBackgroundWork: Bool
  ) -> [Finding] {
    var problems: [(String, String)] = []
    if let (problem, advice) = programProblem {
      problems.append(("cannot be started, because \(problem)", advice))
    }
    problems += extensionProblems.map { ($0.problem, $0.advice) }
    if extensionProblems.isEmpty, let extensionSilence {
      problems.append(
        (
          "its service extension returned nothing for the latest push, so the push was shown unchanged: "
            + extensionSilence.problem, extensionSilence.advice
        ))
    }
    switch status {
    case .notDetermined:
      let settings = "belfry settings \(id) notifications=on"
      if isUndecided {
        problems.append(("waiting for the user's answer", settings))
      } else if requested.isEmpty {
        problems.append(("never asked for permission", requestAdvice))
      } else {
        // The user can close the question, and an app can exit before the answer.
        problems.append(("asked for permission, but the user has not answered", settings))
      }
    case .denied:
      problems.append(("denied by the user", "belfry settings \(id) notifications=on"))
    case .authorized, .provisional: break
    }
    if status.allows, requested.isEmpty {
      problems.append(
        (
          "authorized, but never requested alerts, sounds or badges: its notifications are not seen or heard",
          requestAdvice
        ))
    }
    if status.allows, settings.alert == .disabled {
      problems.append(("alerts are turned off", "belfry settings \(id) alert=on"))
    }
    if let placeProblem { problems.append(placeProblem) }
    if !claims(.pushes) {
      problems.append(
        (
          "its manifest does not claim aps-environment: it gets no token",
          "add it and run 'belfry app install' again"
        ))
    } else if let gatewayRefusal {
      let refusal = ProblemText(gatewayRefusal)
      problems.append((refusal.problem, refusal.advice ?? ""))
    } else if let registration = registrations[.alert], registration.token == nil {
      problems.append(("registered, but has no token yet", tokenAdvice))
    }
    if lacksLocationUsage {
      problems.append(
        (
          "requested the location without a usage description: the user was not asked",
          Self.locationUsageAdvice
        ))
    } else if waitsForPlace, !mayLocate {
      problems.append(
        (
          "has a notification for a place, but no permission to use the location: the notification waits",
          "belfry settings \(id) location=whenInUse"
        ))
    }
    if registrations[.alert] != nil, !mayRun(inMode: "remote-notification") {
      problems.append(
        (
          "its manifest lacks the background mode remote-notification: pushes do not start it",
          "if the app needs background pushes, add it and run 'belfry app install' again"
        ))
    }
    if holdsPush {
      problems.append(
        (
          "a background push is waiting",
          holdsBackgroundWork
            ? "until power or an unrestricted network is available"
            : "the app's budget is used up: the push is delivered later"
        ))
    }
    let feature = "app \(id)"
    guard !problems.isEmpty else {
      return [Finding(feature: feature, isFine: true, detail: "can show notifications")]
    }
    return problems.map { problem, advice in
      Finding(feature: feature, isFine: false, isLack: false, detail: problem, advice: advice)
    }
  }
}
