public import Foundation

/// Makes an object of a class that is only known at run time.
///
/// `NSObject.init()` is not `required`, so Swift does not let `type.init()` be written for a class
/// found by name or by protocol. `NewObjectMould` has a required one in the same place of its dispatch
/// table; calling through it reaches the class's own `init()`. A test holds this for each compiler.
package enum NewObject {
  @inline(never)
  package static func make(_ type: NSObject.Type) -> NSObject {
    unsafe unsafeBitCast(type, to: NewObjectMould.Type.self).init()
  }
}

/// The shape of a class whose `init()` may be called by its type.
///
/// It is open because the compiler calls a final class directly, and not
/// through the table.
open class NewObjectMould: NSObject {
  /// Makes an object.
  public override required init() { super.init() }
}
