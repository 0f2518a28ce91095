package import Foundation

/// Makes an object of a class that is only known at run time.
///
/// `NSObject.init()` is not `required`, so Swift does not let `type.init()` be written for a class
/// found by name or by protocol. The class below has a required one in the same place of its
/// dispatch table; calling through it reaches the class's own `init()`. A test holds this for each
/// compiler, debug and release.
package enum NewObject {
  package static func make(_ type: NSObject.Type) -> NSObject {
    unsafe unsafeBitCast(type, to: Mould.Type.self).init()
  }

  private class Mould: NSObject {
    override required init() { super.init() }
  }
}
