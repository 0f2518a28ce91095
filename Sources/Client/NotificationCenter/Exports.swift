// Widgets of the Today view have no place here. Apps import this module in files that use notifications, and count
// on what Apple's module brings with it.
@_exported public import Combine
@_exported public import UIKit
