import AppLink
import BelfryWire
import AppWire
import Glibc
import System

/// The warnings of `belfry notify` about a notification that the agent has accepted, but that the user might not see or
/// cannot answer completely.
enum NotifyWarnings {
  /// Warns if, because of the user's settings for the app, the notification is neither shown nor listed; returns true if
  /// so.
  ///
  /// The agent answers in order, so after its answer, `isRefused` is true if the agent has already refused the
  /// notification's buttons. The refusal states the reason, so there is no warning.
  static func warnOfSettings(
    _ app: String, on connection: AppLinkConnection, unless isRefused: () -> Bool
  ) -> Bool {
    let answer = try? connection.call(
      .control(.appSettings(app: app)), timeoutMilliseconds: AgentControl.answerMilliseconds)
    guard let row = answer?.rows.first, !isRefused() else { return false }
    let cause: (text: String, change: String)
    if row["alert"] == "off" {
      cause = ("alerts", "alert=on")
    } else if row["style"] == "none", row["center"] == "off" {
      cause = ("banners and the Notification Center", "style=banner center=on")
    } else {
      return false
    }
    Output.error(
      "\(cause.text) are off for \(app), so the notification is neither shown nor listed",
      do: "turn them on with 'belfry settings \(app) \(cause.change)'")
    return true
  }

  /// Reports the setting because of which a question has no banner; returns false if there is no such setting.
  ///
  /// Focus and the desktop's Do Not Disturb do not apply to a notification that breaks through them.
  static func reportMissingBanner(
    _ app: String, breaksThrough: Bool, on connection: AppLinkConnection,
    _ options: CommandLineOptions
  ) -> Bool {
    let state = (try? AgentControl(options).ask(.state([:])).rows)?.first
    let settings = try? connection.call(
      .control(.appSettings(app: app)), timeoutMilliseconds: AgentControl.answerMilliseconds)
    let cause: String
    if settings?.rows.first?["style"] == "none" {
      cause = "banners are off for \(app)"
    } else if !breaksThrough, state?["focus"] == "on" {
      cause = "Focus is on"
    } else if !breaksThrough, state?["doNotDisturb"] == "on" {
      cause = "the desktop's Do Not Disturb is on"
    } else {
      return false
    }
    Output.error("\(cause), so the notification appears only in the Notification Center")
    return true
  }

  /// Warns if the agent does not know the device's location, so that a notification for an area cannot be shown.
  static func warnOfUnknownLocation(_ options: CommandLineOptions) {
    // A location service that has just been started needs some time to report the location.
    for attempt in 1...attempts {
      let rows = (try? AgentControl(options).ask(.diagnose).rows) ?? []
      let row = rows.first { $0["feature"] == "location" }
      guard row?["state"] == "attention" else { return }
      if attempt < attempts { usleep(pauseMicroseconds) }
    }
    Output.error(
      "the device's location is not known yet, so the notification waits",
      do: "start a location service (GeoClue), or use 'belfry location set LAT,LON'; "
        + "'belfry doctor' shows whether the location is known")
  }

  /// Warns if neither the notification server nor a window has a text field for the answer.
  static func warnOfMissingTextField(of id: String, _ options: CommandLineOptions) {
    for attempt in 1...attempts {
      let rows = (try? AgentControl(options).ask(.diagnose).rows) ?? []
      func state(_ feature: JSONValue) -> JSONValue? {
        rows.first { $0["feature"] == feature }?["state"]
      }
      if let reply = state("inline reply") {
        guard reply != "ok", state("windows") != "ok" else { return }
        return Output.error(
          "the desktop has no text field for the answer, so a reply contains no text",
          do:
            "install belfry-center (in the package belfry-agent-desktop), or answer with 'belfry center action "
            + "\(ShellWords.quoted(id)) ACTION --text TEXT'")
      }
      // The bus might be starting the notification server.
      guard state("notification server") == "ok" else { return }
      if attempt < attempts { usleep(pauseMicroseconds) }
    }
  }

  private static let attempts = 5
  private static let pauseMicroseconds: UInt32 = 200_000
}
