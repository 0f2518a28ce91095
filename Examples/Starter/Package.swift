// swift-tools-version: 6.2
import PackageDescription

// The Belfry checkout next to this folder, or the checkout at BELFRY_PATH. The package has an explicit name, so the
// folder can have any name.
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
