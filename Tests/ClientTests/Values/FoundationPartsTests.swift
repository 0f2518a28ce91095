import AppWire
import BelfryClient
import CoreLocation
import Foundation
import Testing
import UIKit
import UserNotifications

/// Tests of the parts of Apple's Foundation that notification code uses and that Foundation on Linux lacks.
@Suite struct FoundationPartsTests {
  @Test
  func `A default is set and read by its key`() {
    let key = "FoundationPartsTests.\(UUID().uuidString)"
    let defaults = UserDefaults.standard
    defaults.setValue("token", forKey: key)
    #expect(defaults.value(forKey: key) as? String == "token")
    defaults.setValue(nil, forKey: key)
    #expect(defaults.value(forKey: key) == nil)
  }

  @Test(arguments: ["", ".", "..", "a/b", "a\0b"])
  func `A group's folder is not made of what is no name`(name: String) {
    #expect(
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) == nil)
  }

  @Test
  func `The app's library is the folder in which the agent looks for its sounds`() throws {
    // This process is not an app.
    #expect(FileManager.default.appLibraryDirectory == nil)
    let app = "org.example.\(UUID().uuidString)"
    let folder = try #require(FileManager.default.libraryDirectory(of: app))
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    #expect(folder.path.hasSuffix("/\(app)/Library"))
    #expect((try? folder.checkResourceIsReachable()) == true)
  }

  @Test
  func `The user's data is where the environment says, as for the agent`() {
    func folder(_ environment: [String: String]) -> String {
      FileManager.userDataFolder(environment).path
    }
    #expect(folder(["HOME": "/tmp/kiosk"]) == "/tmp/kiosk/.local/share")
    #expect(folder(["HOME": "/tmp/kiosk", "XDG_DATA_HOME": "/var/kiosk"]) == "/var/kiosk")
    #expect(
      folder(["HOME": "/tmp/kiosk", "XDG_DATA_HOME": "relative"]) == "/tmp/kiosk/.local/share")
  }

  @Test
  func `A failed registration has the domain and code of Apple's systems, and says why`() {
    let refused = AppLinkFailure(.registrationRefused, "no valid 'aps-environment'")
      .registrationError
    #expect((refused.domain, refused.code) == (NSCocoaErrorDomain, 3000))
    #expect("\(refused)".contains("no valid 'aps-environment'"))
    #expect(!"\(refused)".contains("(null)"))
    #expect(AppLinkFailure(.noGateway, "").registrationError.code == 3010)
    #expect(AppLinkFailure(.gatewayUnreachable, "").registrationError.domain == NSURLErrorDomain)
  }

  @Test
  func `A group has a folder, the same each time`() throws {
    let name = "group.\(UUID().uuidString)"
    let folder = try #require(
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name))
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(folder.lastPathComponent == name)
    var isDirectory: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory))
    #expect(isDirectory.boolValue)
    #expect(
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name) == folder)
  }

  @Test
  func `Access is granted only to a readable file`() throws {
    let here = URL(fileURLWithPath: #filePath)
    #expect(here.startAccessingSecurityScopedResource())
    here.stopAccessingSecurityScopedResource()
    #expect(!here.appending(path: "missing").startAccessingSecurityScopedResource())
    #expect(
      !(try #require(URL(string: "https://example.com"))).startAccessingSecurityScopedResource())
  }

  @Test
  func `A loop gets the notifications that were posted since the sequence was made, in order`()
    async
  {
    let center = NotificationCenter()
    let name = Notification.Name("a")
    center.post(name: name, object: nil, userInfo: ["n": 0])
    let notifications = center.notifications(named: name)
    for n in 1...3 { center.post(name: name, object: nil, userInfo: ["n": n]) }
    center.post(name: Notification.Name("b"), object: nil)
    var seen: [Int?] = []
    for await notification in notifications {
      seen.append(notification.userInfo?["n"] as? Int)
      if seen.count == 3 { break }
    }
    #expect(seen == [1, 2, 3])
  }

  @Test
  func `The clipping rectangle of an attachment is a dictionary of four numbers`() {
    let dictionary = CGRect(x: 0, y: 0.25, width: 1, height: 0.5).dictionaryRepresentation
    #expect(dictionary["Y"] as? Double == 0.25)
    #expect(dictionary["Height"] as? Double == 0.5)
    #expect(dictionary.count == 4)
  }

  @Test
  func `Code that asks for the version of Foundation takes the newer calls`() {
    #expect(NSFoundationVersionNumber > NSFoundationVersionNumber_iOS_9_x_Max)
    #expect(NSFoundationVersionNumber_iOS_9_x_Max > NSFoundationVersionNumber_iOS_8_x_Max)
    #expect(NSFoundationVersionNumber_iOS_8_x_Max > NSFoundationVersionNumber_iOS_7_1)
  }

  @Test
  func `The body of an autorelease pool gives its result`() { #expect(autoreleasepool { 3 } == 3) }

  @Test
  func `A sound by its plain name is the sound of that name, and the former call the default`() {
    #expect(
      UNNotificationSound(named: "a.caf")
        == UNNotificationSound(named: UNNotificationSoundName("a.caf")))
    #expect(UNNotificationSound.default() == UNNotificationSound.default)
  }

  @Test
  func `A geocoder says that there is no network for it`() async {
    let error = await withCheckedContinuation { continuation in
      CLGeocoder().reverseGeocodeLocation(CLLocation(latitude: 1, longitude: 2)) { _, error in
        continuation.resume(returning: error)
      }
    }
    #expect((error as? CLError)?.code == .network)
  }

  @MainActor
  @Test
  func `The former alert counts its buttons from the one that cancels`() {
    let alert = UIAlertView(
      title: "", message: "", delegate: nil, cancelButtonTitle: "No", otherButtonTitles: "Yes",
      "Later")
    #expect(alert.cancelButtonIndex == 0)
    #expect(alert.firstOtherButtonIndex == 1)
    #expect(alert.numberOfButtons == 3)
    #expect(alert.buttonTitle(at: 2) == "Later")
    #expect(alert.buttonTitle(at: 3) == nil)
  }
}
