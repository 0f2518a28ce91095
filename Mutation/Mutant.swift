/// One change of one place of the product, which some test should notice.
struct Mutant {
  /// Counts the mutants of a run, from 1.
  var number: Int
  var file: String
  /// From 1, in the source as it is committed.
  var line: Int
  var column: Int
  /// What is changed, for a person.
  var change: String

  /// The line of `mutants.tsv`.
  var row: String { "\(number)\t\(file)\t\(line)\t\(column)\t\(change)" }
}
