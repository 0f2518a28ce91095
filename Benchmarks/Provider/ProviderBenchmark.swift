// Sends or prepares pushes with BelfryProvider, and prints the cost. `Benchmarks/client-libraries` runs this program.
import BelfryProvider
import Foundation

@main
struct ProviderBenchmark {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let count = Int(arguments[5]) else {
      print("usage: ProviderBenchmark send|list GATEWAY.JSON TOKENS-FILE APP COUNT")
      exit(2)
    }
    let tokens = try String(contentsOfFile: arguments[3], encoding: .utf8).split(separator: "\n")
      .map(String.init)
    let client = try ProviderClient(
      .init(
        gatewayFile: arguments[2],
        policy: RetryPolicy(longestPause: .seconds(5), timeout: .seconds(600))))
    let app = arguments[4]
    let baseline = residentBytes()
    // Open one connection first, because a real sender's connection is already open.
    var failed = try await accepted(client.send(push(tokens[0], 0, app))) ? 0 : 1
    let (cpu, clock) = (processorSeconds(), ContinuousClock.now)
    var peak = baseline
    if arguments[1] == "list" {
      let pushes = try (0..<count).map { try push(tokens[$0 % tokens.count], $0, app) }
      peak = residentBytes()
      failed += pushes.count == count ? 0 : 1
    } else {
      let pushes = (0..<count).lazy.compactMap { number in
        try? push(tokens[number % tokens.count], number, app)
      }
      var answered = 0
      for try await one in client.send(pushes) {
        answered += 1
        if case .success(let outcome) = one.result, accepted(outcome) {
        } else {
          failed += 1
        }
        if answered % 10_000 == 0 { peak = max(peak, residentBytes()) }
      }
      failed += count - answered
    }
    let seconds = (ContinuousClock.now - clock) / .seconds(1)
    print(
      """
      {"count":\(count),"failed":\(failed),"seconds":\(seconds),\
      "cpu":\(processorSeconds() - cpu),"bytes":\(max(0, peak - baseline))}
      """)
  }

  static func push(_ token: String, _ number: Int, _ app: String) throws -> Push {
    var alert = AlertContent(
      title: "News", body: .text("Fresh fish, number \(number)"), sound: .standard)
    alert.badge = 1
    return try Push(.alert(alert), to: token, app: app, expiration: .once)
  }

  static func accepted(_ outcome: PushOutcome) -> Bool {
    if case .accepted = outcome { true } else { false }
  }

  static func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }
}
