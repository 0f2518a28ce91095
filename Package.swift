// swift-tools-version: 6.2
import PackageDescription

/// Settings that every Swift target shares.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

// A push accesses about sixty properties of the gateway's objects. The run-time checks of exclusive access took an
// eighth of the instructions for a push. Debug builds, which the tests run, keep the checks (decision 0009).
let unchecked: [SwiftSetting] = [
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// The settings for tests, which disable the test overlays that the compiler ships for Apple's `UIKit` and `AppKit`.
///
/// Our modules with these names have no overlays.
let tests: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"]),
]

/// The source revision that `belfry --version` reports: BELFRY_COMMIT, for builds outside a repository, or the current
/// commit.
let commit =
  Context.environment["BELFRY_COMMIT"]
  ?? Context.gitInformation.map { String($0.currentCommit.prefix(10)) } ?? ""

func c(_ name: String, _ pkgConfig: String? = nil, _ debian: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig,
    providers: debian.map { [.apt([$0])] })
}

func swift(
  _ name: String, in folder: String = "", _ dependencies: Target.Dependency...,
  settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)\(name)",
    swiftSettings: strict + settings)
}

func test(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: tests)
}

let package = Package(
  name: "belfry",
  products: [
    .executable(name: "belfry", targets: ["Tool"]),
    .executable(name: "belfry-sound", targets: ["SoundPlayer"]),
    .executable(name: "belfry-focus", targets: ["FocusWatcher"]),
    .executable(name: "belfry-center", targets: ["CenterWindow"]),
    .library(name: "BelfryProvider", targets: ["BelfryProvider"]),
    .library(name: "CoreLocation", targets: ["CoreLocation"]),
    .library(name: "UserNotifications", targets: ["UserNotifications"]),
    .library(name: "UIKit", targets: ["UIKit"]),
    .library(name: "AppKit", targets: ["AppKit"]),
    .library(name: "Cocoa", targets: ["Cocoa"]),
    .library(name: "PushKit", targets: ["PushKit"]),
    .library(name: "UserNotificationsUI", targets: ["UserNotificationsUI"]),
    .library(name: "BackgroundTasks", targets: ["BackgroundTasks"]),
    .library(name: "Intents", targets: ["Intents"]),
    .library(name: "CallKit", targets: ["CallKit"]),
    .library(name: "ActivityKit", targets: ["ActivityKit"]),
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "NotificationCenter", targets: ["NotificationCenter"]),
    .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
    .library(name: "MobileCoreServices", targets: ["MobileCoreServices"]),
    .library(name: "os", targets: ["os", "OSLog"]),
  ],
  targets: [
    // The C libraries, each with its own folder and only one importing module. scripts/system-packages names their
    // packages.
    c("CLinux"),
    c("COpenSSL", "openssl", "libssl-dev"),
    c("CNghttp2", "libnghttp2", "libnghttp2-dev"),
    c("CPostgreSQL", "libpq", "libpq-dev"),
    c("CSQLite", "sqlite3", "libsqlite3-dev"),
    c("CSystemd", "libsystemd", "libsystemd-dev"),
    c("CSndFile", "sndfile", "libsndfile1-dev"),
    c("CXcb", "xcb", "libxcb1-dev"),
    c("CYaml", "yaml-0.1", "libyaml-dev"),
    c("CGtk", "gtk4", "libgtk-4-dev"),
    .target(name: "CAllocationCounter", path: "Sources/C/CAllocationCounter"),
    .target(name: "CThreadSanitizer", path: "Sources/C/CThreadSanitizer"),
    .target(
      name: "CVersion", path: "Sources/C/CVersion",
      cSettings: [.define("BELFRY_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "CConfinement", path: "Sources/C/CConfinement"),
    // A simulated disk for SQLite in tests, which loses data that was not synced.
    .target(
      name: "CPowerCut", path: "Sources/C/CPowerCut", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CConsolePages", path: "Sources/C/CConsolePages"),
    // libnats, which is loaded when a bus is used.
    .target(name: "CNATS", path: "Sources/C/CNATS"),
    // The SQL function that computes the checksums of rows.
    .target(
      name: "CRowChecksum", path: "Sources/C/CRowChecksum",
      linkerSettings: [.linkedLibrary("sqlite3")]),

    // The platform's modules, from the lowest layer up.
    swift("BelfryWire"),
    swift("PushWire", "BelfryWire"),
    swift("AppWire", "BelfryWire"),
    swift("Scheduling", "BelfryWire", "AppWire"),
    swift("AppLink", "BelfryWire", "AppWire", "CThreadSanitizer"),
    swift("System", "CLinux", "CThreadSanitizer"),
    swift("Transport", "System", "COpenSSL", "CNghttp2"),
    swift("WebPush", "BelfryWire", "System", "Transport"),
    swift("Storage", "BelfryWire", "PushWire", "System", "Transport", "CSQLite", "CRowChecksum"),
    swift(
      "PostgresStorage", "BelfryWire", "PushWire", "System", "Transport", "Storage", "CPostgreSQL"),
    swift("MessageBus", "System", "CNATS"),
    swift(
      "Gateway", "BelfryWire", "PushWire", "System", "Transport", "Storage", "PostgresStorage",
      "MessageBus", "WebPush", settings: unchecked),
    swift(
      "Agent", "BelfryWire", "PushWire", "AppWire", "Scheduling", "System", "Transport", "Storage",
      "WebPush", "CSystemd"),
    swift("BelfryProvider", "BelfryWire", "PushWire", "AppWire", "System", "Transport", "WebPush"),
    .target(
      name: "Console",
      dependencies: [
        "BelfryWire", "System", "Transport", "CConsolePages",
      ],
      // CConsolePages embeds the pages.
      exclude: ["Pages"], swiftSettings: strict),
    swift(
      "ProviderService", "BelfryWire", "PushWire", "Scheduling", "System", "Transport", "Storage",
      "PostgresStorage", "BelfryProvider", "Console"),
    swift(
      "GatewayConsole", "BelfryWire", "PushWire", "AppWire", "AppLink", "System", "Transport",
      "Storage", "Gateway", "Agent", "BelfryProvider", "Console"),

    // The modules that an app imports, with Apple's names.
    swift("BelfryClient", in: "Client/", "BelfryWire", "AppWire", "Scheduling", "AppLink"),
    swift("CoreLocation", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient"),
    swift(
      "UserNotifications", in: "Client/", "BelfryWire", "AppWire", "Scheduling", "AppLink",
      "BelfryClient", "CoreLocation"),
    swift(
      "UIKit", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient", "CoreLocation",
      "UserNotifications"),
    swift(
      "AppKit", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient", "CoreLocation",
      "UserNotifications"),
    swift("Cocoa", in: "Client/", "AppKit"),
    swift(
      "PushKit", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient",
      "UserNotifications"),
    swift(
      "UserNotificationsUI", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient",
      "UserNotifications", "UIKit"),
    swift("BackgroundTasks", in: "Client/", "AppWire", "AppLink", "BelfryClient"),
    swift("Intents", in: "Client/", "BelfryClient", "UserNotifications"),
    swift("CallKit", in: "Client/", "AppWire", "BelfryClient"),
    swift("ActivityKit", in: "Client/", "BelfryWire", "AppWire", "AppLink", "BelfryClient"),
    swift("Combine", in: "Client/", "BelfryClient"),
    swift("NotificationCenter", in: "Client/", "UIKit", "Combine"),
    swift("UniformTypeIdentifiers", in: "Client/"),
    swift("MobileCoreServices", in: "Client/", "UniformTypeIdentifiers"),
    swift("os", in: "Client/"),
    swift("OSLog", in: "Client/", "os"),

    // The `belfry` command, which combines the modules.
    .executableTarget(
      name: "Tool",
      dependencies: [
        "BelfryWire", "PushWire", "AppWire", "Scheduling", "AppLink", "System", "Transport",
        "Storage", "PostgresStorage", "Gateway", "Agent",
        "BelfryProvider", "ProviderService", "Console", "GatewayConsole", "WebPush", "CVersion",
        "CYaml",
      ],
      swiftSettings: strict),

    // A separate program: sound files are untrusted bytes, and an agent on a headless machine needs no sound.
    .executableTarget(
      name: "SoundPlayer", dependencies: ["CConfinement", "CSndFile"], swiftSettings: strict),

    // A separate program, so that the agent can start without X11's libraries.
    .executableTarget(
      name: "FocusWatcher",
      dependencies: ["BelfryWire", "CConfinement", "CXcb"],
      swiftSettings: strict),

    // A separate program, so that the agent contains neither GTK nor the image decoders.
    .executableTarget(
      name: "CenterWindow",
      dependencies: ["BelfryWire", "CGtk"],
      swiftSettings: strict),

    // The benchmarks that `make bench` runs.
    .executableTarget(
      name: "ScheduleBenchmark",
      dependencies: ["Scheduling", "Storage"],
      path: "Benchmarks/Schedule", swiftSettings: strict),

    // The store before the log, with which StoreBenchmark compares.
    .target(
      name: "CFormerStore", dependencies: ["CRowChecksum"], path: "Benchmarks/FormerStore",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "StoreBenchmark",
      dependencies: ["Storage", "PushWire", "CFormerStore"],
      path: "Benchmarks/Store", swiftSettings: tests),

    .executableTarget(
      name: "ProviderBenchmark", dependencies: ["BelfryProvider"], path: "Benchmarks/Provider",
      swiftSettings: tests),

    // Simulations from seeds, for `make simulate`; not part of any product.
    .executableTarget(
      name: "Simulate", dependencies: ["TestSupport"], path: "Tests/Simulate", swiftSettings: tests),

    // The cost per byte of each handler of untrusted bytes, for `make check-cost`; not part of any product.
    .executableTarget(
      name: "CheckCost", dependencies: ["TestSupport"], path: "Tests/CheckCost",
      swiftSettings: tests),

    // The tests and their support modules.
    .target(
      name: "TestSupport",
      dependencies: [
        "BelfryWire", "PushWire", "AppWire", "Scheduling", "AppLink", "System", "Transport",
        "Storage", "WebPush", "Gateway", "Agent",
        "BelfryProvider", "ProviderService", "Console", "GatewayConsole", "CAllocationCounter",
        "CPowerCut",
      ],
      swiftSettings: tests),
    test("BelfryWireTests", "BelfryWire", "PushWire", "AppWire", "Scheduling"),
    test("SystemTests", "System"),
    test("TransportTests", "Transport", "System", "COpenSSL"),
    test("StorageTests", "Storage", "BelfryWire", "PushWire", "System", "Transport"),
    test(
      "PostgresStorageTests", "PostgresStorage", "BelfryWire", "PushWire", "System", "Transport",
      "Storage"),
    test("WebPushTests", "WebPush", "BelfryWire", "Transport"),
    test("MessageBusTests", "MessageBus", "System", "Transport"),
    test(
      "GatewayTests", "Gateway", "WebPush", "BelfryWire", "PushWire", "System", "Transport",
      "Storage"),
    test(
      "AgentTests", "Agent", "AppLink", "BelfryWire", "PushWire", "AppWire", "Scheduling", "System",
      "Transport", "Storage", "WebPush"),
    test("SoundPlayerTests", "SoundPlayer"),
    test("FocusWatcherTests", "FocusWatcher"),
    test("CenterWindowTests", "CenterWindow"),
    test(
      "BelfryProviderTests", "BelfryProvider", "BelfryWire", "PushWire", "Transport", "System",
      "WebPush"),
    test(
      "ProviderServiceTests", "ProviderService", "BelfryProvider", "BelfryWire", "PushWire",
      "Scheduling", "Storage", "System", "Transport"),
    test(
      "ConsoleTests", "Console", "GatewayConsole", "Agent", "BelfryProvider", "BelfryWire",
      "PushWire", "Gateway", "ProviderService", "Storage", "System", "Transport"),
    test(
      "ClientTests", "UIKit", "AppKit", "Cocoa", "PushKit", "UserNotifications", "CoreLocation",
      "UserNotificationsUI", "BackgroundTasks", "Intents", "CallKit", "ActivityKit", "Combine",
      "NotificationCenter", "UniformTypeIdentifiers", "MobileCoreServices", "os", "OSLog",
      "BelfryClient", "BelfryWire", "AppWire", "AppLink"),
    test(
      "IntegrationTests", "Tool", "BelfryWire", "PushWire", "AppLink", "System", "Transport",
      "Storage", "Gateway", "Agent", "BelfryProvider", "Console", "GatewayConsole",
      "UserNotifications", "BelfryClient"),
  ],
  swiftLanguageModes: [.v6]
)
