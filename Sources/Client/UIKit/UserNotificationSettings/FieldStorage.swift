/// The fields of a value class.
///
/// The class is declared on the main actor, but apps can compare and archive its objects on any thread.
///
/// Sendable: as with Apple's classes, each object is used by only one owner at a time.
final class FieldStorage<Fields>: @unchecked Sendable {
  var fields: Fields

  init(_ fields: Fields) { self.fields = fields }
}
