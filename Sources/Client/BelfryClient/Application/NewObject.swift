public import Foundation

/// A function that creates an object of a class that is known only at run time.
///
/// `NSObject.init()` is not `required`, so Swift does not allow `type.init()` for a class that was found by name or by
/// protocol. In the dispatch table of `RequiredInitBase`, a required initializer has the same position as
/// `NSObject.init()`. Calling the required initializer through the type therefore calls the class's own `init()`. A
/// test verifies this for each compiler.
package enum NewObject {
  @inline(never)
  package static func make(_ type: NSObject.Type) -> NSObject {
    unsafe unsafeBitCast(type, to: RequiredInitBase.Type.self).init()
  }
}

/// A class whose `init()` can be called through its type, with the same dispatch table layout as `NSObject`.
///
/// The class is open, because the compiler would call the initializer of a final class directly instead of through the
/// table.
open class RequiredInitBase: NSObject {
  /// Creates an object; declared `required` so that it can be called through a type.
  public override required init() { super.init() }
}
