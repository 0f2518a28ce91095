import AppWire
import Foundation
import Testing

@testable import UIKit

/// Tests of a notification that another program, such as `belfry notify`, shows on behalf of an app with an older API.
@Suite @MainActor struct NotificationFromShellTests {
  private final class Recorder: NSObject, UIApplicationDelegate {
    var bodies: [String?] = []

    func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
      bodies.append(notification.alertBody)
    }
  }

  private func delivered(_ generation: NotificationGeneration) -> DeliveredNotification {
    var content = AppWire.NotificationContent()
    content.body = NotificationText("Milk")
    content.generation = generation
    return DeliveredNotification(
      request: .init(id: "milk", content: content), unixMilliseconds: 0)
  }

  private func response(_ generation: NotificationGeneration) -> AppWire.NotificationResponse {
    .init(
      notification: delivered(generation),
      action: AppWire.NotificationResponse.defaultAction)
  }

  @Test
  func `its tap is among the launch options, or reaches the method of the time`() {
    let recorder = Recorder()
    UIApplication.shared.delegate = recorder
    defer { UIApplication.shared.delegate = nil }
    for generation in [NotificationGeneration.local, .userNotification] {
      recorder.bodies = []
      var launch = AppLaunch(reason: .response)
      launch.response = response(generation)
      let option = LaunchOptions.make(launch, url: nil)?[.localNotification]
      // S1-36, S1-38
      #expect((option as? UILocalNotification)?.alertBody == "Milk")
      #expect(UIApplication.shared.handle(.response(response(generation)), nil))
      #expect(recorder.bodies == ["Milk"])
      #expect(UIApplication.shared.handle(.willPresent(delivered(generation)), nil))
      #expect(recorder.bodies == ["Milk", "Milk"])
    }
  }
}
