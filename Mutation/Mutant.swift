/// A change in one place of the product's code, which at least one test should detect.
struct Mutant {
  /// The number of the mutant in a run, starting at 1.
  var number: Int
  var file: String
  /// The line in the committed source, starting at 1.
  var line: Int
  var column: Int
  /// A description of the change for the report.
  var change: String

  /// The line of `mutants.tsv`.
  var row: String { "\(number)\t\(file)\t\(line)\t\(column)\t\(change)" }
}
