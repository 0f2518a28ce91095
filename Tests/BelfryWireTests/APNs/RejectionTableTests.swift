import PushWire
import Foundation
import Testing

@Suite struct RejectionTableTests {
  private var file: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/rejections.md").standardizedFileURL
  }

  private static let introduction = """
    # Rejections

    If a gateway refuses a request, its response has one of these statuses and reasons, as in Apple's service. The body is
    `{"reason":…}`; for 410, it also contains `timestamp`. Only a 503 with `ServiceUnavailable` has the header
    `retry-after`, in seconds; `belfry send` waits for this time and retries. The legacy status is the status that the
    binary interface returns for the same reason.

    To find out why a provider token gets `InvalidProviderToken` or `ExpiredProviderToken`, paste it into the screen
    *Tools* of the [console](console.md), or send it to [`POST /api/provider-token-check`](admin-api.md).

    <!-- RejectionTableTests compares this table with the code, and writes it if BELFRY_WRITE_TABLES is set. -->

    | Status | Reason | Condition | Sender action | Legacy status |
    | --- | --- | --- | --- | --- |

    """

  private var table: String {
    let rows = Rejection.allCases.map { rejection in
      let row = rejection.row
      return
        "| \(row.status) | `\(row.reason)` | \(row.when) | \(rejection.remedy) | \(row.legacyStatus) |"
    }
    return Self.introduction + rows.joined(separator: "\n") + "\n"
  }

  @Test func `the documentation's table is the code's`() throws {
    if ProcessInfo.processInfo.environment["BELFRY_WRITE_TABLES"] != nil {
      try table.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == table)
  }
}

extension Rejection {
  fileprivate var remedy: String {
    switch self {
    case .unregistered, .expiredToken:
      "delete the token, unless the app has registered it again since `timestamp`"
    case .badDeviceToken, .deviceTokenNotForTopic:
      "check token, topic and environment; the token itself may be valid"
    case .expiredProviderToken:
      "check iat and the sender's clock, then generate a new provider token"
    case .invalidProviderToken: "check the key ID and the team, then generate a new provider token"
    case .tooManyProviderTokenUpdates:
      "use the previous provider token again; use each provider token for 20 to 60 minutes"
    case .serviceUnavailable:
      "wait as long as the header retry-after requests, then retry with exponential backoff"
    case .shutdown: "open another connection, then retry"
    default: row.advice.words
    }
  }
}

extension Rejection.Advice {
  fileprivate var words: String {
    switch self {
    case .doNotRetry: "fix the request before retrying"
    case .renewProviderToken: "generate a new provider token, then retry"
    case .retryLater: "wait, then retry"
    case .retryWithBackoff: "wait about 15 minutes, then retry with exponential backoff"
    case .reconnect: "open another connection with the right credentials"
    }
  }
}
