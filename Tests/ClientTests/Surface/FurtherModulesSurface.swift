import AppKit
import BackgroundTasks
import Intents
import OSLog
import UIKit
import UserNotificationsUI
import os

// This file uses the additional modules in the same way as apps do. The test passes if the file compiles.

final class DrawnContent: UIViewController, UNNotificationContentExtension {
  func didReceive(_ notification: UNNotification) {
    title = notification.request.content.title
    preferredContentSize = CGSize(width: 100, height: 100)
    extensionContext?.notificationActions = []
  }

  func didReceive(
    _ response: UNNotificationResponse,
    completionHandler completion:
      @escaping @Sendable (UNNotificationContentExtensionResponseOption) -> Void
  ) { completion(.doNotDismiss) }
}

final class PlainContent: UIViewController, UNNotificationContentExtension {
  func didReceive(_ notification: UNNotification) {}
}

@available(*, deprecated)
@MainActor
func formerNamesSurface(_ image: UIImage) -> [Any?] {
  let state: UIApplicationState = .active
  let style: UIAlertActionStyle = .cancel
  let alert: UIAlertControllerStyle = .alert
  return [
    state, style, alert, UIImagePNGRepresentation(image), UIImageJPEGRepresentation(image, 0.5),
    UIApplicationOpenNotificationSettingsURLString, UIApplicationBackgroundFetchIntervalNever,
  ]
}

@MainActor
func macSurface(_ error: any Error) {
  _ =
    NSRunningApplication.runningApplications(withBundleIdentifier: "org.example.a").first?
    .processIdentifier
  NSWorkspace.shared.activateFileViewerSelecting([URL(fileURLWithPath: "/tmp/a")])
  NSApplication.shared.presentError(error)
}

func monitorSurface() async throws {
  let monitor = await CLMonitor("shops")
  await monitor.add(
    CLMonitor.CircularGeographicCondition(
      center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 100), identifier: "shop",
    assuming: .unsatisfied)
  for try await event in await monitor.events where event.state == .satisfied { return }
  for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { return }
}

private let logger = Logger(subsystem: "org.example", category: "tests")

func logSurface(_ name: String, _ count: Int?) {
  logger.info("\(name, privacy: .public) has \(count) of \(3.5, align: .right(columns: 6))")
  os_log("%{public}@ came", log: .default, type: .error, name)
}
