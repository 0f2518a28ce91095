import UIKit

// Starts the app in the way of apps without `@main`.
UIApplicationMain(
  CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self))
