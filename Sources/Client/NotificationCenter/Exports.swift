// This system has no widgets in a Today view. Apps import this module in files that use notifications, and rely on the
// modules that Apple's module re-exports.
@_exported public import Combine
@_exported public import UIKit
