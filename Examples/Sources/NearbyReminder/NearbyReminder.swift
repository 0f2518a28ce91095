// An app that reminds the user on arrival at a place, either once or, with `--each`, on every arrival.
import CoreLocation
import Narration
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate, CLLocationManagerDelegate {
  let locMan = CLLocationManager()

  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    if let notification = launchOptions?[.localNotification] as? UILocalNotification {
      arrived(notification, "launched")
      return true
    }
    application.registerUserNotificationSettings(
      UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    locMan.delegate = self
    locMan.requestWhenInUseAuthorization()
    return true
  }

  func locationManager(
    _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
  ) {
    say("location \(status.rawValue)")
    if status == .authorizedWhenInUse { startShowingLocationNotifications() }
  }

  func startShowingLocationNotifications() {
    let locNotification = UILocalNotification()
    locNotification.alertBody = "You have arrived!"
    // By default, the trigger fires only once.
    if CommandLine.arguments.contains("--each") { locNotification.regionTriggersOnce = false }
    locNotification.region = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 48.8584, longitude: 2.2945), radius: 200,
      identifier: "tower")
    UIApplication.shared.scheduleLocalNotification(locNotification)
    say("scheduled \(UIApplication.shared.scheduledLocalNotifications?.count ?? 0)")
  }

  func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
    arrived(notification, "arrived")
    say("left \(UIApplication.shared.scheduledLocalNotifications?.count ?? 0)")
  }

  func arrived(_ notification: UILocalNotification, _ how: String) {
    if let region = notification.region { say("\(how) \(region.identifier)") }
  }
}
