import BelfryWire
import Foundation
import Testing

@Suite struct RejectionTableTests {
  private var file: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/rejections.md").standardizedFileURL
  }

  private var table: String {
    var lines = [
      "# Rejections", "",
      "Generated from `Rejection` in `Sources/BelfryWire/APNs/Rejection.swift`; a test compares the two.",
      "`BELFRY_WRITE_TABLES=1 swift test --filter RejectionTableTests` regenerates it.", "",
      "| status | reason | when | what the sender should do | legacy status |",
      "| --- | --- | --- | --- | --- |",
    ]
    for rejection in Rejection.allCases {
      let row = rejection.row
      lines.append(
        "| \(row.status) | `\(row.reason)` | \(row.when) | \(row.advice.words) | \(row.legacyStatus) |"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func `the documentation's table is the code's`() throws {
    if ProcessInfo.processInfo.environment["BELFRY_WRITE_TABLES"] != nil {
      try table.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == table)
  }
}

extension Rejection.Advice {
  fileprivate var words: String {
    switch self {
    case .doNotRetry: "fix the request before retrying"
    case .renewProviderToken: "make a new provider token, then retry"
    case .retryLater: "wait, then retry"
    case .retryWithBackoff: "wait about 15 minutes, then retry with exponential back-off"
    case .reconnect: "open another connection with the right credentials"
    }
  }
}
