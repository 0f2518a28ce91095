// swift-tools-version: 6.2
import PackageDescription

// The checkout of Belfry beside this folder, or where BELFRY_PATH says. With its name given, the
// folder may be called anything.
let belfry = Context.environment["BELFRY_PATH"] ?? "../belfry"

let package = Package(
  name: "MyApp",
  dependencies: [.package(name: "belfry", path: belfry)],
  targets: [
    .executableTarget(
      name: "MyApp",
      dependencies: [
        .product(name: "UIKit", package: "belfry"),
        .product(name: "UserNotifications", package: "belfry"),
      ],
      swiftSettings: [.swiftLanguageMode(.v5)])
  ]
)
