/// The fields of a value class that belongs to the main actor by its declaration, yet is compared
/// and archived wherever the app likes.
///
/// Sendable: like Apple's classes, the objects are for one owner at a time.
final class FieldStorage<Fields>: @unchecked Sendable {
  var fields: Fields

  init(_ fields: Fields) { self.fields = fields }
}
