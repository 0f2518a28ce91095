import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// The program that `scripts/mutate` runs.
///
/// `belfry-mutate [--values] EXCLUDED FILE…` inserts mutants into the files and prints a list of them. The file
/// `EXCLUDED` lists the numbers of mutants to omit, one per line. With `--values`, the program also inserts mutants
/// that change values.
@main
struct MutationMain {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let changesValues = arguments.first == "--values"
    if changesValues { arguments.removeFirst() }
    guard let list = arguments.first, arguments.count > 1 else {
      FileHandle.standardError.write(Data("usage: belfry-mutate [--values] EXCLUDED FILE…\n".utf8))
      exit(2)
    }
    let excluded = Set(
      try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").compactMap {
        Int($0)
      })
    var first = 1
    for file in arguments.dropFirst() {
      let source = try String(contentsOfFile: file, encoding: .utf8)
      let parsed = Parser.parse(source: source)
      let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
      guard let tree = folded.as(SourceFileSyntax.self) else { continue }
      let rewriter = MutationRewriter(
        file: file, tree: tree, first: first, changesValues: changesValues
      ) { excluded.contains($0) }
      let text = rewriter.rewrite(tree).description
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      for mutant in rewriter.mutants { print(mutant.row) }
      first += rewriter.mutants.count
    }
  }
}
