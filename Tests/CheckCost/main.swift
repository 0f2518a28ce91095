import Foundation
import TestSupport

/// The program that `make check-cost` runs.
///
/// For each handler of untrusted bytes, the program measures the cost per byte for 4 KB of input and for the largest
/// input that the interface accepts.
let usage =
  "usage: CheckCost [--quick] [--only TEXT]: measure only up to 64 KB, or only the subjects whose name contains TEXT"

var isQuick = false
var only = ""
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
  switch word {
  case "--quick": isQuick = true
  case "--only":
    guard let text = words.popFirst() else {
      print(usage)
      exit(2)
    }
    only = text
  default:
    print(usage)
    exit(2)
  }
}

let check = CostCheck(bound: isQuick ? 65_536 : nil)
let subjects = CostSubject.all.filter { only.isEmpty || $0.name.contains(only) }
guard !subjects.isEmpty else {
  print("check-cost: no subject has '\(only)' in its name")
  exit(2)
}

/// Prints text and flushes it immediately, because a measurement takes seconds.
func say(_ text: String, end: String = "\n") {
  FileHandle.standardOutput.write(Data((text + end).utf8))
}

/// The time limit, in seconds, for all sizes of one subject.
///
/// A handler that takes exponential time would never finish. The alarm terminates the program, and the last line of
/// output then identifies the subject.
let subjectSeconds: UInt32 = 300

func column(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

func number(_ value: Double) -> String { String(format: "%10.1f", value) }

say(column("handler: input", 64) + "      bytes   ns/byte      bytes   ns/byte  ratio")
var failed: [CostCheck.Row] = []
for subject in subjects {
  say(column(subject.name, 64), end: "")
  alarm(subjectSeconds)
  let row = check.row(subject)
  say(
    String(format: "%11d", row.bytes.small) + number(row.cost.small)
      + String(format: "%11d", row.bytes.large) + number(row.cost.large)
      + String(format: "%7.2f", row.ratio) + (row.isGood ? "" : "  TOO HIGH"))
  if !row.isGood { failed.append(row) }
}
for row in failed {
  say(
    "check-cost: \(row.name): a byte costs \(String(format: "%.1f", row.ratio)) times as much at \(row.worstBytes) "
      + "bytes as at \(row.bytes.small) (limit: \(CostCheck.ratioMax)): the work grows faster than the input"
  )
}
say("check-cost: \(subjects.count) subjects, \(failed.count) of them too slow")
exit(failed.isEmpty ? 0 : 1)
