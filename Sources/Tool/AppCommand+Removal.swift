import BelfryWire

extension AppCommand {
  /// Warns about the processes that continue to run after their app was removed; `rows` is the agent's answer.
  static func warnOfProcesses(in rows: [JSONObject], of app: String) {
    for process in rows.compactMap({ $0["process"]?.integerValue }) {
      Output.error(
        "warning: \(app) is running as process \(process), and will register again",
        do: "quit it, and then run 'belfry app remove \(app)' again")
    }
  }
}
