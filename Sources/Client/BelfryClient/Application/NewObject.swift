public import Foundation

/// A way to create an object of a class that is known only at run time.
///
/// `NSObject.init()` is not `required`, so Swift does not allow `type.init()` for a class that was found by name or by
/// protocol. `RequiredInitBase` has a required initializer at the same position in its dispatch table. Calling that
/// initializer through the type reaches the class's own `init()`. A test verifies this for each compiler.
package enum NewObject {
  @inline(never)
  package static func make(_ type: NSObject.Type) -> NSObject {
    unsafe unsafeBitCast(type, to: RequiredInitBase.Type.self).init()
  }
}

/// The layout of a class whose `init()` can be called through its type.
///
/// The class is open because the compiler calls the initializer of a final class directly instead of through the table.
open class RequiredInitBase: NSObject {
  /// Creates an object; declared `required` so that it can be called through a type.
  public override required init() { super.init() }
}
