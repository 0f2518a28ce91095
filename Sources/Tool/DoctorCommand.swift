import AppLink
import BelfryWire
import System

/// `belfry doctor`: what this machine has and lacks, and what to do.
enum DoctorCommand {
  static let table = OptionTable(
    command: "belfry doctor",
    summary: """
      Tells what this machine has and lacks for each feature, what to do about it, and whether the
      link to the gateway works. Ends with 1 when no agent answers.
      """,
    [AgentControl.jsonOption, AgentControl.socketOption])

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table) { options, agent in
      var rows: [JSONObject] = []
      var failure: AppLinkFailure?
      do throws(AppLinkFailure) {
        rows = try agent.ask(.diagnose).rows
      } catch {
        failure = error
        rows = [
          [
            "feature": "agent", "state": "missing", "detail": .string(error.message),
            "do": "start it with 'belfry agent'",
          ]
        ]
      }
      AgentControl.show(rows, asJSON: options.has("json"))
      if let failure { throw failure }
    }
  }
}
