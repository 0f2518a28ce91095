/// The fields of a value class that is declared on the main actor, although apps can compare and archive it on any
/// thread.
///
/// Sendable: As with Apple's classes, each object is used by only one owner at a time.
final class FieldStorage<Fields>: @unchecked Sendable {
  var fields: Fields

  init(_ fields: Fields) { self.fields = fields }
}
