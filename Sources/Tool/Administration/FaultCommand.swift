import BelfryWire
import PushWire
import Gateway
import System

/// `belfry fault`: manages the scripted responses of a sandbox gateway.
enum FaultCommand {
  static let noun = AdministrationNoun(
    name: "fault",
    verbs: [
      AdministrationVerb(
        "fault", "add",
        """
        Adds a fault (a scripted response for testing a client) to a sandbox gateway.

        \(reasonList)
        """,
        options: [
          .value("token", "HEX", "only for this device token"),
          .value("topic", "T", "only for this topic"),
          .value("reason", "R", "reject the request with this APNs reason"),
          .value(
            "timestamp", "MS",
            "timestamp of a response with status 410 (Unregistered, ExpiredToken), in milliseconds since 1970"
          ),
          .value(
            "share", "0..1", default: "1", "fraction of the requests to reject with --reason"),
          .value("goaway-after", "N", "send GOAWAY after N requests on a connection"),
          .value(
            "streams", "N",
            "maximum number of concurrent streams; with 0, a client can send no requests after it has read the "
              + "gateway's SETTINGS"),
          .value("window", "BYTES", "initial flow-control window"),
          .value("delay", "MS", "delay each response by this number of milliseconds"),
          .flag("close", "close the connection without a response"),
          .value(
            "times", "N",
            "remove the fault after N requests; a sender that retries, such as 'belfry send', makes several requests "
              + "for one push"),
        ], columns: columns, text: { "added " + sentence($0) }
      ) { .addFault(try rule($0)) },
      list,
      AdministrationVerb(
        "fault", "remove", "Removes one fault.", positionals: "ID",
        positionalCount: 1...1, columns: columns, text: { "removed " + sentence($0) }
      ) { options in
        guard let id = UInt64(options.positionals[0]) else {
          throw AdministrationFailure(
            .invalid, "'\(options.positionals[0])' is not a fault ID",
            do: "use an ID that 'belfry fault list' shows")
        }
        return .removeFault(id: id)
      },
      clear,
    ])

  private static let clear: AdministrationVerb = {
    var clear = AdministrationVerb(
      "fault", "clear", "Removes all faults, or only those for a device token.",
      options: [.value("token", "HEX", "only the faults that were added with this --token")],
      columns: columns, listing: "faults", text: { "removed " + sentence($0) }
    ) { .clearFaults(token: try $0.deviceToken()) }
    clear.emptyNote = { options, gateway in
      guard let token = options.value("token"), let others = try? gateway.perform(.listFaults),
        !others.isEmpty
      else { return nil }
      return "no faults with --token \(token), but \(Output.counted(others.count, "other fault")) "
        + "\(others.count == 1 ? "remains" : "remain"): see 'belfry fault list'"
    }
    return clear
  }()

  /// A sentence that lists all APNs reasons by status, wrapped to lines.
  private static let reasonList: String = {
    let statuses = Set(Rejection.allCases.map(\.row.status)).sorted()
    let lists = statuses.map { status in
      "\(status) \(reasons(ofStatus: status).joined(separator: ", "))"
    }
    var lines = [""]
    for word in "The reasons by status: \(lists.joined(separator: "; ")).".split(separator: " ") {
      let line = lines.removeLast()
      if line.count + 1 + word.count > 112 {
        lines += [line, String(word)]
      } else {
        lines.append(line.isEmpty ? String(word) : "\(line) \(word)")
      }
    }
    return lines.joined(separator: "\n")
  }()

  /// Returns the APNs reasons that a response with this status can have.
  private static func reasons(ofStatus status: Int) -> [String] {
    Rejection.allCases.filter { $0.row.status == status }.map(\.reason)
  }

  private static let list: AdministrationVerb = {
    var list = AdministrationVerb(
      "fault", "list",
      "Lists the faults and, for faults that were added with --times, the number of remaining "
        + "requests.",
      columns: columns
    ) { _ in .listFaults }
    list.hidesEmptyColumns = true
    return list
  }()

  /// Returns a line that describes a rule by its ID and its options, as specified with `fault add`.
  private static func sentence(_ rule: JSONObject) -> String {
    func words(_ keys: [String]) -> String {
      let words = keys.compactMap { key -> String? in
        guard let value = rule[key] else { return nil }
        let option = key == "goawayAfter" ? "--goaway-after" : "--\(key)"
        // The option of a Boolean member is a flag.
        if let isOn = value.boolValue { return isOn ? option : nil }
        // The date shows a time that was given in seconds.
        if key == "timestamp", let time = value.integerValue {
          return "\(option) \(time) (\(Timestamp.rfc3339(unixMilliseconds: time)))"
        }
        return "\(option) \(value.stringValue ?? value.text)"
      }
      return words.joined(separator: " ")
    }
    let scope = words(["token", "topic"])
    return "fault \(rule["id"]?.text ?? ""): \(words(effectColumns + ["times"])), for "
      + (scope.isEmpty ? "all pushes" : scope)
  }

  private static let effectColumns = [
    "reason", "goawayAfter", "streams", "window", "delay", "close", "share", "timestamp",
  ]
  private static let columns = ["id"] + effectColumns + ["times", "remaining", "topic", "token"]

  private static func rule(_ options: CommandLineOptions) throws -> FaultRule {
    let token = try options.deviceToken()
    let topic = try options.topic()
    let effects = try effects(options)
    for name in ["share", "timestamp"] where options.isGiven(name) && !options.isGiven("reason") {
      throw UsageError("--\(name) has no effect without --reason: add --reason, or omit --\(name)")
    }
    if case .answer(let rejection, _?, _)? = effects.first, rejection.row.status != 410 {
      throw UsageError(
        "--timestamp has no effect on \(rejection.row.reason): only a response with status 410 has a timestamp"
      )
    }
    guard effects.count == 1 else {
      throw AdministrationFailure(
        .invalid, "a fault has exactly one action",
        do:
          "use one of --reason, --goaway-after, --streams, --window, --delay, --close; to combine actions, add "
          + "several faults")
    }
    return FaultRule(
      token: token, topic: topic, effect: effects[0],
      times: try options.integer("times", in: 1...UInt32.max))
  }

  private static func effects(_ options: CommandLineOptions) throws -> [FaultRule.Effect] {
    var effects: [FaultRule.Effect] = []
    if let reason = options.value("reason") {
      guard let rejection = Rejection(reason: reason) else {
        throw UsageError("invalid value '\(reason)' for --reason: \(advice(forReason: reason))")
      }
      effects.append(
        .answer(
          rejection, timestampMilliseconds: try options.integer("timestamp", in: 0...Int64.max),
          share: try share(options)))
    }
    if let count: UInt32 = try options.integer("goaway-after") {
      effects.append(.goAway(afterRequests: count))
    }
    if let count: UInt32 = try options.integer("streams") { effects.append(.streams(count)) }
    if let bytes: UInt32 = try options.integer("window") { effects.append(.window(bytes: bytes)) }
    if let time: UInt32 = try options.integer("delay") {
      effects.append(.delay(milliseconds: time))
    }
    if options.has("close") { effects.append(.close) }
    return effects
  }

  private static func advice(forReason reason: String) -> String {
    if let nearest = Suggestion.nearest(to: reason, in: Rejection.allCases.map(\.reason)) {
      return "did you mean '\(nearest)'?"
    }
    if let status = Int(reason) {
      let candidates = reasons(ofStatus: status)
      if !candidates.isEmpty {
        return "for this status, use \(CommandLineOptions.list(candidates))"
      }
    }
    return "expected an APNs reason, such as TooManyRequests; "
      + "'belfry fault add --help' lists all reasons"
  }

  private static func share(_ options: CommandLineOptions) throws -> Double {
    guard let text = options.value("share") else { return 1 }
    guard let share = Double(text), (0...1).contains(share) else {
      throw CommandLineOptions.Problem.badValue(
        key: "share", value: text, wanted: "a number from 0 to 1")
    }
    return share
  }
}
