import UIKit

// Start the app in the same way as apps without `@main`.
UIApplicationMain(
  CommandLine.argc, CommandLine.unsafeArgv, nil, NSStringFromClass(AppDelegate.self))
