// swift-tools-version: 6.2
import PackageDescription

/// Returns a target for a program from the documents, as an external package would define it.
func program(_ name: String, _ modules: String...) -> Target {
  .executableTarget(
    name: name,
    dependencies: ["Narration"] + modules.map { .product(name: $0, package: "belfry") },
    swiftSettings: [.swiftLanguageMode(.v5)])
}

let package = Package(
  name: "examples",
  dependencies: [.package(name: "belfry", path: "..")],
  targets: [
    .target(name: "Narration"),
    program("RestaurantAlert", "UIKit", "UserNotifications"),
    program("MenuUpdate", "UIKit"),
    program("TodoReminder", "UIKit"),
    program("BackgroundChat", "UIKit"),
    program("Registration", "UIKit"),
    program("Invitation", "UIKit"),
    program("LaunchHandling", "UIKit"),
    program("MacNotification", "Cocoa"),
    program("NearbyReminder", "UIKit", "CoreLocation"),
    program("LanguagePreference", "UIKit"),
    program("PushClient", "UIKit"),
    program("SwitchClient", "UIKit"),
    program("LaunchState", "UIKit", "UserNotifications"),
    program("TokenCourier", "UIKit"),
    program("LanguageProvider", "BelfryProvider"),
    program("NewsSender", "BelfryProvider"),
    program("ScoreBroadcaster", "BelfryProvider"),
    program("MatchReminder", "UIKit", "UserNotifications"),
    program("OwnSound", "UIKit"),
    program("MacReminder", "Cocoa"),
    program(
      "DrawnNotification", "UIKit", "UserNotificationsUI", "BackgroundTasks", "Intents", "os"),
    program("DailyDish", "UIKit", "UserNotifications"),
    program("DishView", "UIKit", "UserNotificationsUI"),
    program("NewsTasks", "UIKit", "BackgroundTasks"),
    program("BaseballGame", "UIKit"),
    program("AlarmClock", "UIKit"),
    program("LocalTour", "UIKit"),
    program("Question", "UIKit", "UserNotifications"),
    program("UnfitData", "UIKit", "AppKit", "UserNotifications"),
    program("PlainTool", "UserNotifications"),
    program("HastyTool", "UserNotifications"),
    program("CallWaiter", "PushKit"),
    program("CallReceiver", "PushKit", "CallKit"),
    program("ScoreActivity", "ActivityKit"),
    program("PlainReminder", "UserNotifications"),
    program("PictureExtension", "UserNotifications"),
    // This target builds the source of a separate package, which developers copy as a starting point.
    .executableTarget(
      name: "Starter",
      dependencies: [
        .product(name: "UIKit", package: "belfry"),
        .product(name: "UserNotifications", package: "belfry"),
      ],
      path: "Starter/Sources/MyApp", swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
